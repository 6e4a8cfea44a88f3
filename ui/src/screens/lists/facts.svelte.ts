// What each list in view holds in numbers; asked row by row, a few at a time, and again when something changed.
import { SvelteMap } from 'svelte/reactivity'
import { call } from '../../api/call'
import type { ListFacts } from '../../api/generated'

const AT_ONCE = 3

export class FactsOfLists {
  readonly known = new SvelteMap<string, ListFacts>()
  /** Asked before something changed: shown until the new answer is there. */
  #stale = new Set<string>()
  #waiting: string[] = []
  #running = 0
  /** The last question about each list: an answer to one before it no longer counts. */
  readonly #asked = new Map<string, number>()
  #turn = 0

  /** Asks for those in view; rows that left the view before their turn are not asked for. */
  want(uids: readonly string[]): void {
    this.#waiting = uids.filter((uid) => !this.known.has(uid) || this.#stale.has(uid))
    while (this.#running < AT_ONCE && this.#waiting.length > 0) void this.#work()
  }

  changed(): void {
    this.#stale = new Set(this.known.keys())
  }

  async #work(): Promise<void> {
    this.#running += 1
    for (let uid = this.#waiting.shift(); uid !== undefined; uid = this.#waiting.shift()) {
      this.#stale.delete(uid)
      const turn = ++this.#turn
      this.#asked.set(uid, turn)
      // A list that went away meanwhile has none; its row goes with the next page.
      const facts = await call('list_facts', { uid }).catch(() => undefined)
      if (this.#asked.get(uid) !== turn) continue
      if (facts === undefined) this.known.delete(uid)
      else this.known.set(uid, facts)
    }
    this.#running -= 1
  }
}
