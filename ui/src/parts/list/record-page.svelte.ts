// A page of records: its query, its response and its failure.
import type { Failure } from '../../api/errors'
import { createLoad } from '../../api/loader.svelte'

interface Paging {
  page_number: number
  page_size: number
}
interface Answer<Item> {
  total_items: number
  total_pages: number
  items: Item[]
}

export class RecordPage<Query extends Paging, Item> {
  query = $state.raw() as Query
  /** The response in view, with its query. */
  loaded = $state.raw<{ query: Query; answer: Answer<Item> }>()
  failure = $state.raw<Failure>()

  constructor(
    first: Query,
    private readonly ask: (query: Query) => Promise<Answer<Item>>,
  ) {
    this.query = first
  }

  readonly load = createLoad(this, async () => {
    const last = Math.max(1, (await this.#fetch()).total_pages)
    if (this.query.page_number > last) {
      // Rows were removed in the meantime: go back to the last existing page.
      this.query = { ...this.query, page_number: last }
      await this.#fetch()
    }
  })

  async #fetch(): Promise<Answer<Item>> {
    const query = this.query
    const answer = await this.ask(query)
    this.loaded = { query, answer }
    return answer
  }

  get items(): readonly Item[] | undefined {
    return this.loaded?.answer.items
  }

  get offset(): number {
    return this.loaded === undefined ? 0 : (this.loaded.query.page_number - 1) * this.loaded.query.page_size
  }

  /** Changes the query and loads its first page. */
  narrow(patch: Partial<Query>): Promise<void> {
    this.query = { ...this.query, page_number: 1, ...patch }
    return this.load()
  }

  goTo(page: number): Promise<void> {
    this.query = { ...this.query, page_number: page }
    return this.load()
  }
}
