// Editors of cells that save their text when they close. Whatever ends the page finishes them first.
import { SvelteSet } from 'svelte/reactivity'

/** Saves the text as leaving the editor does, and waits until that has ended. */
type FinishEditor = () => Promise<void>

export class OpenEditors {
  readonly #open = new SvelteSet<FinishEditor>()

  /** Adds an editor whose text is not saved yet, and returns the function that removes it. */
  add(finish: FinishEditor): () => undefined {
    this.#open.add(finish)
    return () => void this.#open.delete(finish)
  }

  get isOpen(): boolean {
    return this.#open.size > 0
  }

  async finish(): Promise<void> {
    await Promise.all([...this.#open].map((finish) => finish()))
  }
}

export const openEditors = new OpenEditors()
