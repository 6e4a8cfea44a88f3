// The current page of short links, with its filter and order.
import { call } from '../../api/call'
import type { Commands, SortOrder } from '../../api/generated'
import { endOfDay, startOfDay } from '../../lib/days'
import { RecordPage } from '../../parts/list/record-page.svelte'

export type LinkItem = Commands['short_link_page']['response']['items'][number]
type LinksQuery = Commands['short_link_page']['request']

const PAGE_SIZE = 50
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

interface LinksView {
  filter: LinksFilter
  order: SortOrder
  page_number: number
  page_size: number
}
/** The newest links without any filter. */
const FIRST_PAGE: LinksView = { filter: NO_FILTER, order: 'DESC', page_number: 1, page_size: PAGE_SIZE }

export class LinksPage extends RecordPage<LinksView, LinkItem> {
  /** Rows that were in view earlier, so that a selection across pages can be described. */
  readonly #seenItems = new Map<string, LinkItem>()

  constructor() {
    super(FIRST_PAGE, async ({ filter, order, page_number }) => {
      const answer = await call('short_link_page', toQuery(filter, order, page_number))
      for (const item of answer.items) this.#seenItems.set(item.link_id, item)
      return answer
    })
  }

  filterBy(change: Partial<LinksFilter>): Promise<void> {
    return this.narrow({ filter: { ...this.query.filter, ...change } })
  }

  /** Shows the newest links without any filter, so that a new link is in view. */
  reset(): Promise<void> {
    return this.narrow(FIRST_PAGE)
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
