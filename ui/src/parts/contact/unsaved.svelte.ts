// Text that was typed into records and not saved. It survives moving to another row or screen and back. Before an
// action that would lose it, the program asks.
import { SvelteMap } from 'svelte/reactivity'
import { openEditors } from '../../grid/open-editors.svelte'

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
  question = $state.raw<{ why: LeaveReason; isElsewhere: boolean; answer: (leaves: boolean) => void }>()
  /** Whether the user agreed to open an account, so that the new page need not say what was lost. */
  hasAgreed = false
  /** Asks the other windows, which start again with this one, whether they have unsaved text. */
  askOthers: (() => Promise<boolean>) | undefined

  get(key: string): EditedFields {
    return this.#entries.get(key)?.edited ?? NONE
  }
  has(key: string): boolean {
    return this.#entries.has(key)
  }
  set(key: string, place: UnsavedRecord, edited: EditedFields): void {
    if (Object.keys(edited).length === 0) this.#entries.delete(key)
    else this.#entries.set(key, { ...place, edited })
    this.hasAgreed = false
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

  /** Finishes open editors, and returns whether the program may drop all unsaved text; asks if there is any. A new
   *  question replaces an older one. */
  async mayLeave(why: LeaveReason): Promise<boolean> {
    if (openEditors.isOpen) await openEditors.finish()
    const isElsewhere = why === 'switch' && this.askOthers !== undefined && (await this.askOthers())
    const leaves = (this.#entries.size === 0 && !isElsewhere) || (await this.#ask(why, isElsewhere))
    if (leaves) {
      this.#entries.clear()
      this.hasAgreed = why === 'switch'
    }
    return leaves
  }

  #ask(why: LeaveReason, isElsewhere: boolean): Promise<boolean> {
    this.question?.answer(false)
    return new Promise((answer) => (this.question = { why, isElsewhere, answer }))
  }

  answer(leaves: boolean): void {
    const { question } = this
    this.question = undefined
    question?.answer(leaves)
  }
}

export const unsaved = new UnsavedTexts()
