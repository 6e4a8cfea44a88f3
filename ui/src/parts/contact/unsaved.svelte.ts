// Text that was typed into records and not saved. It survives moving to another row or screen and back. Before an
// action that would lose it, the program asks.
import { SvelteMap } from 'svelte/reactivity'

export type EditedFields = Readonly<Record<string, string>>

/** The record that a text belongs to. */
export interface UnsavedRecord {
  readonly list: string
  /** Undefined for a contact that has not been created yet. */
  readonly uid: string | undefined
  /** The name of the record in the question. */
  readonly name: string
}

interface UnsavedEntry extends UnsavedRecord {
  readonly edited: EditedFields
}

export type LeaveReason = 'quit' | 'close' | 'switch'

const NONE: EditedFields = {}

export class UnsavedTexts {
  readonly #entries = new SvelteMap<string, UnsavedEntry>()
  /** The question that is waiting for an answer. */
  question = $state.raw<{ why: LeaveReason; answer: (leaves: boolean) => void }>()

  get(key: string): EditedFields {
    return this.#entries.get(key)?.edited ?? NONE
  }
  has(key: string): boolean {
    return this.#entries.has(key)
  }
  set(key: string, place: UnsavedRecord, edited: EditedFields): void {
    if (Object.keys(edited).length === 0) this.#entries.delete(key)
    else this.#entries.set(key, { ...place, edited })
  }
  drop(key: string): void {
    this.#entries.delete(key)
  }
  /** Drops all texts, because their account is no longer open. */
  clear(): void {
    this.#entries.clear()
  }
  get all(): readonly UnsavedRecord[] {
    return [...this.#entries.values()]
  }
  /** Returns the UIDs of the records of a list that have unsaved text. */
  listUids(list: string): string[] {
    return this.all.flatMap((one) => (one.list === list && one.uid !== undefined ? [one.uid] : []))
  }

  /** Returns whether the program may drop all unsaved text; asks if there is any. A new question replaces an older
   *  one. */
  async mayLeave(why: LeaveReason): Promise<boolean> {
    if (this.#entries.size === 0) return true
    this.question?.answer(false)
    const leaves = await new Promise<boolean>((answer) => (this.question = { why, answer }))
    if (leaves) this.#entries.clear()
    return leaves
  }

  answer(leaves: boolean): void {
    const { question } = this
    this.question = undefined
    question?.answer(leaves)
  }
}

export const unsaved = new UnsavedTexts()
