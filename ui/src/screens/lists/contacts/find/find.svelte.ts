// The search text in the cells of the view, and moving from match to match.
import { call } from '../../../../api/call'
import { toFailure } from '../../../../api/errors'
import { m } from '../../../../gen/words'
import { announce, toast } from '../../../../kit/over/toasts.svelte'
import { debounce } from '../../../../lib/debounce'
import type { Workspace } from '../workspace/workspace.svelte'

const TYPING_MS = 250

export class Finder {
  text = $state('')
  regex = $state(false)
  case = $state(false)
  whole = $state(false)
  /** Why the search text is invalid. */
  fault = $state<string>()
  counted = $state.raw<{ requestKey: string; cells: number; rows: number }>()
  readonly #of: Workspace
  #pendingStep: Promise<void> = Promise.resolve()
  readonly #debouncedCount = debounce(() => void this.#countMatches(), TYPING_MS)

  constructor(of: Workspace) {
    this.#of = of
  }

  /** Identifies everything on which the count depends. */
  get requestKey(): string {
    const { text, regex, case: cased, whole } = this
    return JSON.stringify([text, regex, cased, whole, this.#columns, this.#of.view.built?.grid.generation])
  }

  get count(): { cells: number; rows: number } | undefined {
    return this.counted?.requestKey === this.requestKey ? this.counted : undefined
  }

  /** Counts matches when typing pauses; returns a function that cancels this. */
  countSoon(): () => void {
    this.fault = undefined
    this.#debouncedCount()
    return () => this.#debouncedCount.cancel()
  }

  /** Goes to the next match. Key presses that come faster than responses are handled in order. */
  next(back: boolean): Promise<void> {
    this.#pendingStep = this.#pendingStep.then(() => this.#stepTo(back))
    return this.#pendingStep
  }

  async #stepTo(back: boolean): Promise<void> {
    const { built } = this.#of.view
    if (this.text === '' || built === undefined) return
    const { focus } = this.#of.currentSelection
    const ask = async (from: typeof focus | null): Promise<boolean> => {
      const sent = { view: built.view, ...this.#pattern, from, backwards: back }
      const { cell } = await call('grid_find', sent)
      if (cell !== null) this.#of.go(cell.row, cell.column)
      return cell !== null
    }
    try {
      if (await ask(focus)) return
      if (await ask(null)) announce(back ? m.contacts_find_from_end() : m.contacts_find_from_start())
      else toast(m.contacts_find_none())
    } catch (error) {
      this.#reportFailure(error)
    }
  }

  /** Goes to the next draft, that is, a cell whose rule refused its text; after the last comes the first. */
  async problem(back: boolean): Promise<void> {
    const { built } = this.#of.view
    if (built === undefined) return
    const ask = async (from: number | null) =>
      (await call('grid_problem', { view: built.view, from, backwards: back })).cell
    const cell = (await ask(this.#of.currentSelection.focus.row)) ?? (await ask(null))
    if (cell === null) {
      toast(m.contacts_problem_none())
      return
    }
    this.#of.go(cell.row, cell.column)
    this.#of.focus()
  }

  get #columns(): string[] {
    return this.#of.visibleColumns.map(({ id }) => id)
  }

  get #pattern() {
    const { text, regex, case: cased, whole } = this
    return { text, regex, case: cased, whole_cell: whole, columns: this.#columns }
  }

  async #countMatches(): Promise<void> {
    const { built } = this.#of.view
    const { requestKey } = this
    if (this.text === '' || built === undefined) return
    try {
      const { cells, rows } = await call('grid_find_count', { view: built.view, ...this.#pattern })
      this.counted = { requestKey, cells, rows }
    } catch (error) {
      if (requestKey === this.requestKey) this.#reportFailure(error)
    }
  }

  #reportFailure(error: unknown): void {
    const failure = toFailure(error)
    this.fault = failure.getFieldMessage('text') ?? failure.message
  }
}
