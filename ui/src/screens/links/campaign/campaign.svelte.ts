// What new links of a campaign share: parameters, a title template, and the preset in use.
import { m } from '../../../gen/words'
import { formatList } from '../../../lib/format'
import { findFaults, findTitleFault, type DraftField, type LinkDraft } from '../create/rule'
import { changePresets, loadPresets, withPreset, type Preset } from './presets'
import { composeTitle, findTemplateFault, isUsingTitle, writePlaceholder, type Placeholder } from './title'
import { isUtmUsed, NO_UTM, UTM_NAMES, withUtm, type Utm } from './utm'

export type PresetDialog = { what: 'save' } | { what: 'rename' | 'delete'; preset: Preset }

type DraftFaults = Partial<Record<DraftField, string>>

function missingFault(missing: readonly Placeholder[]): string | undefined {
  if (missing.includes('title')) return findTitleFault('')
  return missing.length === 0
    ? undefined
    : m.links_template_missing({ count: missing.length, names: formatList(missing.map(writePlaceholder)) })
}

export class Campaign {
  utm = $state<Utm>({ ...NO_UTM })
  template = $state('')
  presets = $state.raw<readonly Preset[]>([])
  dialog = $state.raw<PresetDialog>()
  #chosen = $state<string>()
  readonly current = $derived(this.presets.find(({ name }) => name === this.#chosen))
  readonly isChanged = $derived(
    this.current !== undefined &&
      (this.current.template !== this.template ||
        UTM_NAMES.some((name) => this.current?.utm[name] !== this.utm[name])),
  )
  readonly hasTemplate = $derived(this.template.trim() !== '')
  readonly isUsed = $derived(this.hasTemplate || isUtmUsed(this.utm))
  /** Whether a new link uses the title that was typed or pasted for it. */
  readonly isTitleUsed = $derived(!this.hasTemplate || isUsingTitle(this.template))
  readonly templateFault = $derived(findTemplateFault(this.template))
  /** Whether a placeholder is unfinished, which is not an error yet. */
  readonly isHalfWritten = $derived(/\{[^{}]*$/.test(this.template))

  /** Changes whenever the parameters or the template change. */
  readonly key = $derived(JSON.stringify([this.utm, this.template]))

  /** Returns the link that a draft becomes, and its errors. */
  composeLink<D extends LinkDraft>(draft: D): D & { faults: DraftFaults } {
    const target_url = withUtm(draft.target_url.trim(), this.utm) ?? draft.target_url
    const plain = { ...draft, target_url }
    if (!this.hasTemplate) return { ...plain, faults: findFaults(plain) }
    const parts = { ...this.utm, title: draft.title }
    const { title, missing } = composeTitle(this.template, parts, draft.target_url.trim(), new Date())
    const { title: _, ...others } = findFaults({ ...plain, title })
    const fault = this.templateFault ?? missingFault(missing) ?? findTitleFault(title)
    return { ...plain, title, faults: fault === undefined ? others : { title: fault, ...others } }
  }

  /** Returns whether a wrong title must be fixed in the template, and not by typing a title. */
  isTemplateAtFault({ title }: LinkDraft): boolean {
    const waits = this.templateFault === undefined && this.isTitleUsed && title.trim() === ''
    return this.hasTemplate && !waits
  }

  use({ name, utm, template }: Preset): void {
    this.#chosen = name
    this.utm = { ...utm }
    this.template = template
  }

  clear(): void {
    this.#chosen = undefined
    this.utm = { ...NO_UTM }
    this.template = ''
  }

  async load(): Promise<void> {
    this.presets = await loadPresets()
  }

  async save(name: string): Promise<void> {
    const preset = { name, utm: { ...this.utm }, template: this.template }
    this.presets = await changePresets((all) => withPreset(all, preset))
    this.#chosen = name
  }

  async rename(preset: Preset, name: string): Promise<void> {
    this.presets = await changePresets((all) => withPreset(all, { ...preset, name }, preset.name))
    this.#chosen = name
  }

  async remove({ name }: Preset): Promise<void> {
    this.presets = await changePresets((all) => all.filter((one) => one.name !== name))
    this.#chosen = undefined
  }
}
