// The page of lists in view: what was asked for, what came, and what went wrong.
import { call } from '../../api/call'
import { toFailure, type Failure } from '../../api/errors'
import type { ListPage, ListPageAnswer, List, ListSort, SortOrder } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'

export const PAGE_SIZE = 25

const FIRST_ORDER: Record<ListSort, SortOrder> = { name: 'ASC', created_at: 'DESC', updated_at: 'DESC' }

function fresh(): ListPage {
  return { page_number: 1, page_size: PAGE_SIZE, sort_by: 'updated_at', sort_order: 'DESC', name: null }
}

export class ListsPage {
  query = $state<ListPage>(fresh())
  /** What is in view, with the query it answers: the order shown is never ahead of the rows. */
  shown = $state<{ query: ListPage; answer: ListPageAnswer }>()
  failure = $state<Failure>()

  readonly load = coalesce(async () => {
    try {
      const last = Math.max(1, (await this.#fetch()).total_pages)
      if (this.query.page_number > last) {
        // Rows went away meanwhile: step back to the last page there is.
        this.query.page_number = last
        await this.#fetch()
      }
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  async #fetch(): Promise<ListPageAnswer> {
    const query = { ...this.query }
    const answer = await call('list_page', query)
    this.shown = { query, answer }
    return answer
  }

  /** Sorts by a column; by the same one again, the other way round. */
  sortBy(column: ListSort): void {
    const { sort_by, sort_order } = this.query
    this.query.sort_order = column !== sort_by ? FIRST_ORDER[column] : sort_order === 'ASC' ? 'DESC' : 'ASC'
    this.query.sort_by = column
    this.query.page_number = 1
    void this.load()
  }

  filterBy(name: string): void {
    this.query.name = name === '' ? null : name
    this.query.page_number = 1
    void this.load()
  }

  goTo(page: number): void {
    this.query.page_number = page
    void this.load()
  }

  /** Creates a list and turns to where it stands: first among the latest. */
  async create(name: string): Promise<List> {
    const created = await call('list_create', { name })
    this.query = fresh()
    await this.load()
    return created
  }
}
