// Presets: named parameters and title templates, stored in the account.
import { call } from '../../../api/call'
import { compareText } from '../../../lib/format'
import type { Json } from '../../../lib/json'
import { NO_UTM, UTM_NAMES, type Utm } from './utm'

export interface Preset {
  name: string
  utm: Utm
  template: string
}

const KEY = 'links.presets'
export const NAME_LIMIT = 60

/** Reads stored presets and drops what is invalid. */
export function parsePresets(kept: unknown): Preset[] {
  if (!Array.isArray(kept)) return []
  return kept.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return []
    const text = (key: string): string => {
      const value = (one as Record<string, unknown>)[key]
      return typeof value === 'string' ? value : ''
    }
    const name = text('name').trim()
    const utm = Object.fromEntries(UTM_NAMES.map((key) => [key, text(key)]))
    return name === '' ? [] : [{ name, utm: { ...NO_UTM, ...utm }, template: text('template') }]
  })
}

/** Returns the presets with `preset` in place of `old` and of any preset with its name. */
export function withPreset(all: readonly Preset[], preset: Preset, old = preset.name): Preset[] {
  const others = all.filter(({ name }) => name !== old && name !== preset.name)
  return [...others, preset].toSorted((a, b) => compareText(a.name, b.name))
}

export async function loadPresets(): Promise<Preset[]> {
  const { values } = await call('ui_state_get', { keys: [KEY] })
  return parsePresets(values[KEY])
}

/** Changes the presets. Another window may have changed them in the meantime, so it reads them first. */
export async function changePresets(change: (all: readonly Preset[]) => Preset[]): Promise<Preset[]> {
  const changed = change(await loadPresets())
  const value: Json = changed.map(({ name, utm, template }) => ({ name, template, ...utm }))
  await call('ui_state_put', { key: KEY, value: changed.length === 0 ? null : value })
  return changed
}
