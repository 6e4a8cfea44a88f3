// The page of lists in view, kept while other screens are shown, with what is selected in it.
import { call } from '../../api/call'
import type { ListCard, ListPage, ListSort, SortOrder } from '../../api/generated'
import type { Json } from '../../lib/json'
import { ActPages } from '../../parts/act/act-pages.svelte'

export const PAGE_SIZE = 25

/** What is found again on the next visit. */
export interface ListsView extends Record<string, Json> {
  sort_by: ListSort
  sort_order: SortOrder
  page_number: number
}

export const USUAL_VIEW: ListsView = {
  sort_by: 'updated_at',
  sort_order: 'DESC',
  page_number: 1,
}

export function firstPage(): ListPage {
  return { page_number: 1, page_size: PAGE_SIZE, sort_by: 'updated_at', sort_order: 'DESC', name: null }
}

function kept(selected: ReadonlySet<string>, items: readonly ListCard[] = []): ReadonlySet<string> {
  return new Set(items.flatMap(({ uid }) => (selected.has(uid) ? uid : [])))
}

export class ListsPage extends ActPages<ListPage, ListCard> {
  selected = $state.raw<ReadonlySet<string>>(new Set())
  /** Every list that was in view, so that those of other pages can be acted on. */
  readonly #seen = new Map<string, ListCard>()

  constructor() {
    super(firstPage(), async (query) => {
      const answer = await call('list_page', query)
      for (const list of answer.items) this.#seen.set(list.uid, list)
      return answer
    })
  }

  /** The selected lists in the order they were selected. */
  get chosen(): readonly ListCard[] {
    // Read for the sake of following it: what was seen changes with it.
    void this.shown
    return [...this.selected].flatMap((uid) => this.#seen.get(uid) ?? [])
  }

  get view(): ListsView {
    const { sort_by, sort_order, page_number } = this.query
    return { sort_by, sort_order, page_number }
  }

  /** Shows what was in view on the last visit. */
  async adopt({ sort_by, sort_order, page_number }: ListsView): Promise<void> {
    const { query } = this
    if (sort_by === query.sort_by && sort_order === query.sort_order && page_number === query.page_number)
      return
    this.query = { ...query, sort_by, sort_order, page_number }
    await this.load()
  }

  /** Nothing stays selected that a filter hides: what is acted on can be seen. */
  override async narrow(patch: Partial<ListPage>): Promise<void> {
    await super.narrow(patch)
    if ('name' in patch) this.selected = kept(this.selected, this.items)
  }

  forget(uid: string): void {
    this.#seen.delete(uid)
    this.selected = new Set([...this.selected].filter((other) => other !== uid))
  }

  /** Shows what was just made: first among the latest, and selected. */
  async show(uid: string): Promise<void> {
    this.query = firstPage()
    // At once: what the person chooses while it is on its way stays chosen.
    this.selected = new Set([uid])
    await this.load()
  }
}
