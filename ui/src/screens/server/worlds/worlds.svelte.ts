// The worlds of the running server, and the rate of requests of each.
import { toFailure, type Failure } from '../../../api/errors'
import { coalesce } from '../../../lib/coalesce'
import { actsIn, DEFAULT_WORLD, operate, type Schemas } from '../act'

export type World = Schemas['World']

export interface Count {
  requests: number
  /** In milliseconds, from an arbitrary start. */
  at: number
}

/** Returns the requests per second between two counts. */
export function rateOf(before: Count | undefined, now: Count): number {
  if (before === undefined || now.at <= before.at) return 0
  return Math.max(0, ((now.requests - before.requests) * 1000) / (now.at - before.at))
}

/** A shorter interval does not give a meaningful rate. */
const LEAST_MS = 900

export class Worlds {
  all = $state.raw<readonly World[]>()
  rates = $state.raw<ReadonlyMap<string, number>>(new Map())
  failure = $state.raw<Failure>()
  #counts = new Map<string, Count>()

  readonly load = coalesce(async () => {
    try {
      const { items } = await operate(actsIn(DEFAULT_WORLD)('GET', '/worlds', { query: { page_size: 1000 } }))
      this.#count(items)
      this.all = items
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  /** Clears everything, because the server has stopped. */
  forget(): void {
    this.all = undefined
    this.#counts.clear()
  }

  #count(items: readonly World[]): void {
    const at = performance.now()
    const rates = new Map<string, number>()
    for (const { id, requests } of items) {
      const before = this.#counts.get(id)
      if (before !== undefined && at - before.at < LEAST_MS) {
        rates.set(id, this.rates.get(id) ?? 0)
        continue
      }
      rates.set(id, rateOf(before, { requests, at }))
      this.#counts.set(id, { requests, at })
    }
    this.rates = rates
  }
}
