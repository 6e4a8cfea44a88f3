// The list of suggestions below a text field: its items, the highlighted one and the keys that move.

export interface Suggestion {
  value: string
  title: string
  detail?: string
}

export type Suggest = (text: string) => readonly Suggestion[] | Promise<readonly Suggestion[]>

export class Suggestions {
  items = $state.raw<readonly Suggestion[]>([])
  marked = $state(-1)
  open = $state(false)
  readonly current = $derived(this.open ? this.items[this.marked] : undefined)
  #turn = 0

  constructor(private readonly suggest: Suggest) {}

  async ask(text: string): Promise<void> {
    this.#turn += 1
    const mine = this.#turn
    const found = await this.suggest(text)
    // Ignore the response to an older request.
    if (mine !== this.#turn) return
    this.items = found
    this.marked = -1
    this.open = found.length > 0
  }

  close(): void {
    this.#turn += 1
    this.open = false
    this.marked = -1
  }

  /** Handles the arrow keys and returns whether the key was used. */
  key(event: KeyboardEvent): boolean {
    if (event.key === 'Escape' && this.open) {
      this.close()
    } else if (event.key === 'ArrowDown' && this.open) {
      this.marked = (this.marked + 1) % this.items.length
    } else if (event.key === 'ArrowUp' && this.open) {
      this.marked = (this.marked <= 0 ? this.items.length : this.marked) - 1
    } else {
      return false
    }
    event.preventDefault()
    event.stopPropagation()
    return true
  }
}
