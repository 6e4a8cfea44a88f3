// Views that were saved under a name: what they hold, which there are, and which one is in use.
import { call } from '../../../../api/call'
import type { GridFilter, GridSavedView } from '../../../../api/generated'
import { PLAIN_LAYOUT, type GridLayout, type SortKey } from '../../../../grid/engine/columns'
import { coalesce } from '../../../../lib/coalesce'
import type { Workspace } from '../workspace/workspace.svelte'

export interface ViewSpec {
  text: string
  filter: GridFilter | null
  sort: readonly SortKey[]
  layout: GridLayout
}

export class SavedViews {
  all = $state.raw<readonly GridSavedView[]>([])
  /** The one that was put into use last. */
  chosen = $state.raw<string>()
  readonly #of: Workspace

  constructor(of: Workspace) {
    this.#of = of
  }

  readonly load = coalesce(async () => {
    this.all = (await call('grid_view_list', { list: this.#of.list })).views
  })

  get current(): GridSavedView | undefined {
    return this.all.find(({ uid }) => uid === this.chosen)
  }

  /** What a new view would hold. */
  get spec(): ViewSpec {
    const { text, filter, sort } = this.#of.view.asked
    return { text, filter, sort, layout: this.#of.layout.current }
  }

  /** Another filter, order or columns than the saved view in use. */
  get isChanged(): boolean {
    const { current } = this
    return current !== undefined && JSON.stringify(readSpec(current.spec)) !== JSON.stringify(this.spec)
  }

  async use(view: GridSavedView): Promise<void> {
    const { text, filter, sort, layout } = readSpec(view.spec)
    this.chosen = view.uid
    this.#of.layout.set(layout)
    await this.#of.view.narrow({ text, filter, sort })
  }

  async save(name: string): Promise<void> {
    const saved = await call('grid_view_save', { list: this.#of.list, name, spec: this.spec })
    this.chosen = saved.uid
    await this.load()
  }

  async rename(uid: string, name: string): Promise<void> {
    await call('grid_view_rename', { uid, name })
    await this.load()
  }

  async remove(uid: string): Promise<void> {
    await call('grid_view_delete', { uid })
    if (this.chosen === uid) this.chosen = undefined
    await this.load()
  }
}

/** A view may have been saved by another version: what is not there is as usual. */
export function readSpec(spec: unknown): ViewSpec {
  const { text, filter, sort, layout } = (spec ?? {}) as Partial<ViewSpec>
  return {
    text: typeof text === 'string' ? text : '',
    filter: typeof filter === 'object' ? filter : null,
    sort: Array.isArray(sort) ? sort : [],
    layout: typeof layout === 'object' ? { ...PLAIN_LAYOUT, ...layout } : PLAIN_LAYOUT,
  }
}
