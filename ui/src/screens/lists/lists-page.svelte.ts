// The page of lists in view with its selection, preserved while other screens are shown.
import { call } from '../../api/call'
import type { ListCard, ListPage, ListSort, SortOrder } from '../../api/generated'
import type { Json } from '../../lib/json'
import { RecordPage } from '../../parts/list/record-page.svelte'

export const PAGE_SIZE = 25

/** What the next visit restores. */
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

export function createFirstPage(): ListPage {
  return { page_number: 1, page_size: PAGE_SIZE, sort_by: 'updated_at', sort_order: 'DESC', name: null }
}

function keepShownSelection(
  selected: ReadonlySet<string>,
  items: readonly ListCard[] = [],
): ReadonlySet<string> {
  return new Set(items.flatMap(({ uid }) => (selected.has(uid) ? uid : [])))
}

export class ListsPage extends RecordPage<ListPage, ListCard> {
  selected = $state.raw<ReadonlySet<string>>(new Set())
  /** Every list that was in view, so that acts can use those on other pages. */
  readonly #seenLists = new Map<string, ListCard>()

  constructor() {
    super(createFirstPage(), async (query) => {
      const answer = await call('list_page', query)
      for (const list of answer.items) this.#seenLists.set(list.uid, list)
      return answer
    })
  }

  /** The selected lists in the order in which they were selected. */
  get chosen(): readonly ListCard[] {
    // Read to depend on it, because `#seenLists` changes with it and is not a state.
    void this.loaded
    return [...this.selected].flatMap((uid) => this.#seenLists.get(uid) ?? [])
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

  /** A new search text also deselects the lists that are not in view, so that the user sees what an act is about. */
  override async narrow(patch: Partial<ListPage>): Promise<void> {
    await super.narrow(patch)
    if ('name' in patch) this.selected = keepShownSelection(this.selected, this.items)
  }

  forget(uid: string): void {
    this.#seenLists.delete(uid)
    this.selected = new Set([...this.selected].filter((other) => other !== uid))
  }

  /** Shows a new list: first among the latest, and selected. */
  async show(uid: string): Promise<void> {
    this.query = createFirstPage()
    // Select it before loading, so that a selection made in the meantime remains.
    this.selected = new Set([uid])
    await this.load()
  }
}
