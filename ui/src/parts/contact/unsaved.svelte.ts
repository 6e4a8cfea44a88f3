// What was typed into records and is not saved yet. It outlives the record it is typed into: another row, another screen
// and back, nothing is lost; and whoever would lose it is asked first.
import { SvelteMap } from 'svelte/reactivity'

export type Edited = Readonly<Record<string, string>>

/** Where a text belongs. */
export interface Place {
  readonly list: string
  /** Undefined for a contact that is not created yet. */
  readonly uid: string | undefined
  /** As the person knows the record. */
  readonly name: string
}

interface Kept extends Place {
  readonly edited: Edited
}

export type Leaving = 'quit' | 'close' | 'switch'

const NONE: Edited = {}

export class Unsaved {
  readonly #kept = new SvelteMap<string, Kept>()
  /** The question that waits for an answer. */
  question = $state.raw<{ why: Leaving; answer: (leaves: boolean) => void }>()

  get(key: string): Edited {
    return this.#kept.get(key)?.edited ?? NONE
  }
  has(key: string): boolean {
    return this.#kept.has(key)
  }
  set(key: string, place: Place, edited: Edited): void {
    if (Object.keys(edited).length === 0) this.#kept.delete(key)
    else this.#kept.set(key, { ...place, edited })
  }
  drop(key: string): void {
    this.#kept.delete(key)
  }
  /** The account that they belong to is gone. */
  clear(): void {
    this.#kept.clear()
  }
  get all(): readonly Place[] {
    return [...this.#kept.values()]
  }
  /** Records of a list with texts, by their uid. */
  of(list: string): string[] {
    return this.all.flatMap((one) => (one.list === list && one.uid !== undefined ? [one.uid] : []))
  }

  /** Whether the person agrees to lose it, if there is anything to lose; a second question takes the place of the first. */
  async mayLeave(why: Leaving): Promise<boolean> {
    if (this.#kept.size === 0) return true
    this.question?.answer(false)
    const leaves = await new Promise<boolean>((answer) => (this.question = { why, answer }))
    if (leaves) this.#kept.clear()
    return leaves
  }

  answer(leaves: boolean): void {
    const { question } = this
    this.question = undefined
    question?.answer(leaves)
  }
}

export const unsaved = new Unsaved()
