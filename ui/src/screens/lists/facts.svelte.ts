// The counts of each list in view, loaded a few lists at a time and again after changes.
import { SvelteMap } from 'svelte/reactivity'
import { call } from '../../api/call'
import type { ListFacts } from '../../api/generated'

const AT_ONCE = 3

export class ListFactsCache {
  readonly factsByList = new SvelteMap<string, ListFacts>()
  /** Loaded before a change; shown until the new response arrives. */
  #stale = new Set<string>()
  #waiting: string[] = []
  #runningCount = 0
  /** The last request for each list, so that older responses are ignored. */
  readonly #requestTurns = new Map<string, number>()
  #turn = 0

  /** Loads the facts of the lists in view. Lists that leave the view before their turn are not loaded. */
  loadInView(uids: readonly string[]): void {
    this.#waiting = uids.filter((uid) => !this.factsByList.has(uid) || this.#stale.has(uid))
    while (this.#runningCount < AT_ONCE && this.#waiting.length > 0) void this.#loadWaiting()
  }

  markStale(): void {
    this.#stale = new Set(this.factsByList.keys())
  }

  async #loadWaiting(): Promise<void> {
    this.#runningCount += 1
    for (let uid = this.#waiting.shift(); uid !== undefined; uid = this.#waiting.shift()) {
      this.#stale.delete(uid)
      const turn = ++this.#turn
      this.#requestTurns.set(uid, turn)
      // A list that was deleted in the meantime has no facts; the next page no longer shows it.
      const facts = await call('list_facts', { uid }).catch(() => undefined)
      if (this.#requestTurns.get(uid) !== turn) continue
      if (facts === undefined) this.factsByList.delete(uid)
      else this.factsByList.set(uid, facts)
    }
    this.#runningCount -= 1
  }
}
