// Drafts outlive the record they are typed into: another row, another screen and back, nothing is lost.
import { SvelteMap } from 'svelte/reactivity'
import type { Edited } from './draft'

class Drafts {
  readonly #kept = new SvelteMap<string, Edited>()

  get(key: string): Edited {
    return this.#kept.get(key) ?? {}
  }
  has(key: string): boolean {
    return this.#kept.has(key)
  }
  set(key: string, edited: Edited): void {
    if (Object.keys(edited).length === 0) this.#kept.delete(key)
    else this.#kept.set(key, edited)
  }
  drop(key: string): void {
    this.#kept.delete(key)
  }
}

export const drafts = new Drafts()
