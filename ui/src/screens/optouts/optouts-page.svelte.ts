// The current page of opt-outs, with its filter and order.
import { call } from '../../api/call'
import type { Commands, SortOrder } from '../../api/generated'
import { endOfDay, startOfDay } from '../../lib/days'
import { RecordPage } from '../../parts/list/record-page.svelte'
import { toRecordKey } from './words'

type OptOutQuery = Commands['opt_out_page']['request']
export type OptOutItem = Commands['opt_out_page']['response']['items'][number]
const PAGE_SIZE = 50

/** An empty part does not filter. */
export interface OptOutFilter {
  number: string
  kind: '' | NonNullable<OptOutQuery['kind']>
  channel: '' | NonNullable<OptOutQuery['channel']>
  scope: '' | 'account' | 'asset'
  asset: string
  inbound: string
  from: string
  to: string
}

export const NO_FILTER: OptOutFilter = {
  number: '',
  kind: '',
  channel: '',
  scope: '',
  asset: '',
  inbound: '',
  from: '',
  to: '',
}

/** Returns the number of active filters, without the number in the search field. */
export function countActiveFilters(filter: OptOutFilter): number {
  const { number: _, ...rest } = filter
  return Object.values(rest).filter((value) => value !== '').length
}

export function toQuery(filter: OptOutFilter, order: SortOrder, page: number): OptOutQuery {
  const toFilterText = (text: string): string | null => (text.trim() === '' ? null : text.trim())
  return {
    number: toFilterText(filter.number),
    kind: filter.kind === '' ? null : filter.kind,
    channel: filter.channel === '' ? null : filter.channel,
    scope: filter.scope === '' ? null : filter.scope,
    asset: toFilterText(filter.asset),
    inbound_number: toFilterText(filter.inbound),
    from: startOfDay(filter.from),
    to: endOfDay(filter.to),
    order,
    page_number: page,
    page_size: PAGE_SIZE,
  }
}

interface OptOutsView {
  filter: OptOutFilter
  order: SortOrder
  page_number: number
  page_size: number
}

export class OptOutsPage extends RecordPage<OptOutsView, OptOutItem> {
  /** Rows that were in view earlier, so that a selection across pages can be described. */
  readonly #seenItems = new Map<string, OptOutItem>()

  constructor() {
    const first: OptOutsView = { filter: NO_FILTER, order: 'DESC', page_number: 1, page_size: PAGE_SIZE }
    super(first, async ({ filter, order, page_number }) => {
      const answer = await call('opt_out_page', toQuery(filter, order, page_number))
      for (const item of answer.items) this.#seenItems.set(toRecordKey(item), item)
      return answer
    })
  }

  filterBy(change: Partial<OptOutFilter>): Promise<void> {
    return this.narrow({ filter: { ...this.query.filter, ...change } })
  }

  findSeenItem(key: string): OptOutItem | undefined {
    return this.#seenItems.get(key)
  }
}
