// The worlds of the running server, and the rate of requests of each.
import type { Failure } from '../../../api/errors'
import { createLoad } from '../../../api/loader.svelte'
import { createRequestMaker, DEFAULT_WORLD, sendRequest, type Schemas } from '../admin-request'

export type WorldRow = Schemas['World']

export interface RequestCount {
  requests: number
  /** In milliseconds, from an arbitrary start. */
  at: number
}

/** Returns the requests per second between two counts. */
export function computeRate(before: RequestCount | undefined, now: RequestCount): number {
  if (before === undefined || now.at <= before.at) return 0
  return Math.max(0, ((now.requests - before.requests) * 1000) / (now.at - before.at))
}

/** A shorter interval does not give a meaningful rate. */
const LEAST_MS = 900

export class WorldsState {
  all = $state.raw<readonly WorldRow[]>()
  rates = $state.raw<ReadonlyMap<string, number>>(new Map())
  failure = $state.raw<Failure>()
  #counts = new Map<string, RequestCount>()

  readonly load = createLoad(this, async () => {
    const { items } = await sendRequest(
      createRequestMaker(DEFAULT_WORLD)('GET', '/worlds', { query: { page_size: 1000 } }),
    )
    this.#countRequests(items)
    this.all = items
  })

  /** Clears everything, because the server has stopped. */
  forget(): void {
    this.all = undefined
    this.#counts.clear()
  }

  #countRequests(items: readonly WorldRow[]): void {
    const at = performance.now()
    const rates = new Map<string, number>()
    for (const { id, requests } of items) {
      const before = this.#counts.get(id)
      if (before !== undefined && at - before.at < LEAST_MS) {
        rates.set(id, this.rates.get(id) ?? 0)
        continue
      }
      rates.set(id, computeRate(before, { requests, at }))
      this.#counts.set(id, { requests, at })
    }
    this.rates = rates
  }
}
