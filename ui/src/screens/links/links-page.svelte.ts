// The current page of short links: its filter, its response and its failure.
import { call } from '../../api/call'
import { toFailure, type Failure } from '../../api/errors'
import type { Commands, SortOrder } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'
import { endOfDay, startOfDay } from '../../lib/days'

export type LinkItem = Commands['short_link_page']['response']['items'][number]
type LinksQuery = Commands['short_link_page']['request']
type LinksAnswer = Commands['short_link_page']['response']

export const PAGE_SIZE = 50
const MOST_PER_CALL = 200

export interface LinksFilter {
  text: string
  tags: readonly string[]
  /** Days as a date field has them; empty for none. */
  from: string
  to: string
}

export const NO_FILTER: LinksFilter = { text: '', tags: [], from: '', to: '' }

export function countFilters({ tags, from, to }: LinksFilter): number {
  return (tags.length > 0 ? 1 : 0) + (from === '' ? 0 : 1) + (to === '' ? 0 : 1)
}

export function toQuery(filter: LinksFilter, order: SortOrder, page: number, size = PAGE_SIZE): LinksQuery {
  return {
    query: filter.text.trim() === '' ? null : filter.text.trim(),
    tags: [...filter.tags],
    from: startOfDay(filter.from),
    to: endOfDay(filter.to),
    order,
    page_number: page,
    page_size: size,
  }
}

export class LinksPage {
  filter = $state.raw<LinksFilter>(NO_FILTER)
  order = $state<SortOrder>('DESC')
  page = $state(1)
  /** The response in view, with its filter and order, which may be older than the requested ones. */
  loaded = $state.raw<{ filter: LinksFilter; order: SortOrder; page: number; answer: LinksAnswer }>()
  failure = $state.raw<Failure>()
  /** Rows that were in view earlier, so that a selection across pages can be described. */
  readonly #seenItems = new Map<string, LinkItem>()

  readonly load = coalesce(async () => {
    try {
      const answer = await this.#fetch()
      const last = Math.max(1, answer.total_pages)
      if (this.page > last) {
        // Rows were removed in the meantime: go back to the last existing page.
        this.page = last
        await this.#fetch()
      }
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  async #fetch(): Promise<LinksAnswer> {
    const { filter, order, page } = this
    const answer = await call('short_link_page', toQuery(filter, order, page))
    for (const item of answer.items) this.#seenItems.set(item.link_id, item)
    this.loaded = { filter, order, page, answer }
    return answer
  }

  filterBy(change: Partial<LinksFilter>): Promise<void> {
    this.filter = { ...this.filter, ...change }
    this.page = 1
    return this.load()
  }

  orderBy(order: SortOrder): Promise<void> {
    this.order = order
    this.page = 1
    return this.load()
  }

  goTo(page: number): Promise<void> {
    this.page = page
    return this.load()
  }

  /** Shows the newest links without any filter, so that a new link is in view. */
  reset(): Promise<void> {
    this.filter = NO_FILTER
    this.order = 'DESC'
    this.page = 1
    return this.load()
  }

  findSeenItem(uid: string): LinkItem | undefined {
    return this.#seenItems.get(uid)
  }
}

/** Returns every link with a tag, however many there are. */
export async function loadLinksWithTag(tag: string): Promise<LinkItem[]> {
  const found: LinkItem[] = []
  for (let page = 1; ; page += 1) {
    const answer = await call(
      'short_link_page',
      toQuery({ ...NO_FILTER, tags: [tag] }, 'DESC', page, MOST_PER_CALL),
    )
    found.push(...answer.items)
    if (page >= answer.total_pages) return found
  }
}
