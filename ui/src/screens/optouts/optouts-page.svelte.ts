// The current page of opt-outs: its filter, its response and its failure.
import { call } from '../../api/call'
import { toFailure, type Failure } from '../../api/errors'
import type { Commands, SortOrder } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'
import { endOfDay, startOfDay } from '../../lib/days'
import { toRecordKey } from './words'

type OptOutQuery = Commands['opt_out_page']['request']
type OptOutAnswer = Commands['opt_out_page']['response']
export type OptOutItem = OptOutAnswer['items'][number]
export const PAGE_SIZE = 50

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

export class OptOutsPage {
  filter = $state.raw<OptOutFilter>(NO_FILTER)
  order = $state<SortOrder>('DESC')
  page = $state(1)
  loaded = $state.raw<{ filter: OptOutFilter; order: SortOrder; page: number; answer: OptOutAnswer }>()
  failure = $state.raw<Failure>()
  /** Rows that were in view earlier, so that a selection across pages can be described. */
  readonly #seenItems = new Map<string, OptOutItem>()

  readonly load = coalesce(async () => {
    try {
      const last = Math.max(1, (await this.#fetch()).total_pages)
      if (this.page > last) {
        this.page = last
        await this.#fetch()
      }
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  async #fetch(): Promise<OptOutAnswer> {
    const { filter, order, page } = this
    const answer = await call('opt_out_page', toQuery(filter, order, page))
    for (const item of answer.items) this.#seenItems.set(toRecordKey(item), item)
    this.loaded = { filter, order, page, answer }
    return answer
  }

  filterBy(change: Partial<OptOutFilter>): Promise<void> {
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

  findSeenItem(key: string): OptOutItem | undefined {
    return this.#seenItems.get(key)
  }
}
