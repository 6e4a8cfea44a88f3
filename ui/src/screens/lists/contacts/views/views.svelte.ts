// The saved views of a list: their content, and which one is in use.
import { call } from '../../../../api/call'
import type { GridFilter, GridSavedView } from '../../../../api/generated'
import { PLAIN_LAYOUT, type GridLayout, type SortKey } from '../../../../grid/engine/columns'
import { coalesce } from '../../../../lib/coalesce'
import { loadFields } from '../../../../parts/contact/fields'
import { storedValue, type StoredValue } from '../../../../parts/stored-value.svelte'
import { createGridColumns } from '../columns'
import type { Workspace } from '../workspace/workspace.svelte'

export interface ViewSpec {
  text: string
  filter: GridFilter | null
  sort: readonly SortKey[]
  layout: GridLayout
}

type StoredSort = readonly Pick<SortKey, keyof SortKey>[]

export class SavedViews {
  all = $state.raw<readonly GridSavedView[]>([])
  /** The view that was applied last. */
  chosen = $state.raw<string>()
  readonly #of: Workspace
  readonly #storageKey: string
  readonly #sort: StoredValue<StoredSort>
  /** The stored view in use; undefined until it is loaded. */
  #storedUid: string | null | undefined

  get #sortKey(): string {
    return `contacts.sort.${this.#of.list}`
  }

  constructor(of: Workspace) {
    this.#of = of
    this.#storageKey = `contacts.view.${of.list}`
    this.#sort = storedValue<StoredSort>(this.#sortKey, [])
  }

  readonly load = coalesce(async () => {
    this.all = (await call('grid_view_list', { list: this.#of.list })).views
  })

  get current(): GridSavedView | undefined {
    return this.all.find(({ uid }) => uid === this.chosen)
  }

  /** The content of a new view. */
  get spec(): ViewSpec {
    const { text, filter, sort } = this.#of.view.request
    return { text, filter, sort, layout: this.#of.layout.current }
  }

  /** Whether the filter, order or columns differ from those of the saved view in use. */
  get isChanged(): boolean {
    const { current } = this
    return current !== undefined && JSON.stringify(parseSpec(current.spec)) !== JSON.stringify(this.spec)
  }

  /** Applies the view that was in use when the user left the list; returns whether there was one. */
  async restore(): Promise<boolean> {
    const [{ values }] = await Promise.all([call('ui_state_get', { keys: [this.#storageKey] }), this.load()])
    const last = this.all.find(({ uid }) => uid === values[this.#storageKey])
    this.#storedUid = last?.uid ?? null
    if (last !== undefined) await this.use(last)
    return last !== undefined
  }

  /** Opens the rows in the order that the user chose last, without columns that were removed since. */
  async openInLastOrder(): Promise<void> {
    const [{ values }, fields] = await Promise.all([
      call('ui_state_get', { keys: [this.#sortKey] }),
      loadFields(this.#of.list),
    ])
    this.#sort.adopt(values[this.#sortKey])
    const known = new Set(createGridColumns(fields).map(({ id }) => id))
    const sort = this.#sort.current.filter(({ field }) => known.has(field))
    await (sort.length > 0 ? this.#of.view.narrow({ sort }) : this.#of.view.open())
  }

  /** Remembers the order of the rows for the list. */
  keepSort(sort: readonly SortKey[]): void {
    this.#sort.set(sort)
  }

  /** Stores the view in use; stores none once the filter or the order differs from it. */
  keep(): void {
    const { current, spec } = this
    const saved = current && parseSpec(current.spec)
    const rowsOf = ({ text, filter, sort }: ViewSpec): string => JSON.stringify([text, filter, sort])
    const kept = saved !== undefined && rowsOf(saved) === rowsOf(spec) ? (this.chosen ?? null) : null
    if (this.#storedUid === undefined || this.#storedUid === kept) return
    this.#storedUid = kept
    void call('ui_state_put', { key: this.#storageKey, value: kept }).catch(() => undefined)
  }

  async use(view: GridSavedView): Promise<void> {
    const { text, filter, sort, layout } = parseSpec(view.spec)
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

/** Reads a stored view. Another version may have saved it, so missing parts get their defaults. */
export function parseSpec(spec: unknown): ViewSpec {
  const { text, filter, sort, layout } = (spec ?? {}) as Partial<ViewSpec>
  return {
    text: typeof text === 'string' ? text : '',
    filter: typeof filter === 'object' ? filter : null,
    sort: Array.isArray(sort) ? sort : [],
    layout: typeof layout === 'object' ? { ...PLAIN_LAYOUT, ...layout } : PLAIN_LAYOUT,
  }
}
