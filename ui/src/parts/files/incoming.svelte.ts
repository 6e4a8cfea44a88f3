// What was dropped, pasted or picked to be imported, on its way to the screen that takes it.
import { href, router } from '../../lib/router.svelte'

export interface Incoming {
  readonly files: readonly File[]
  /** Files of this computer, where the page may name them: those that the program was opened with. */
  readonly paths?: readonly string[] | undefined
  /** A table that was pasted or dragged in. */
  readonly text?: string | undefined
  /** The list that was in view. */
  readonly list?: string | undefined
  /** The rows were refused elsewhere: they are shown at once, to be fixed. */
  readonly refused?: Refused | undefined
}

export interface Refused {
  /** How many of the other rows were added there. */
  readonly added: number
  /** The country that their numbers were read in. */
  readonly country: string | null
  /** What the rows behind the first are numbered where they were refused. */
  readonly rows: readonly number[]
}

class IncomingFiles {
  waiting = $state.raw<Incoming>()
  #taker: ((given: Incoming) => void) | undefined

  /** For as long as a screen wants it, all that comes is its own. */
  takenBy(taker: (given: Incoming) => void): () => void {
    this.#taker = taker
    return () => {
      if (this.#taker === taker) this.#taker = undefined
    }
  }

  /** Hands it over; the screen of imports is shown if it is not there already. */
  give(given: Incoming): void {
    if (this.#taker !== undefined) return this.#taker(given)
    this.waiting = given
    if (router.section !== 'import') router.go(href('import'))
  }

  take(): Incoming | undefined {
    const { waiting } = this
    this.waiting = undefined
    return waiting
  }
}

export const incoming = new IncomingFiles()

let pointedOut: (() => string | undefined) | undefined

/** For as long as a screen shows several lists: the one that is meant there, if it is clear which. */
export function pointOutList(list: () => string | undefined): () => void {
  pointedOut = list
  return () => {
    if (pointedOut === list) pointedOut = undefined
  }
}

/** The list whose contacts are in view, or that is meant on the screen in view, if any. */
export function listInView(): string | undefined {
  const { section, params } = router.place
  const [uid] = params
  return section === 'lists' && uid !== undefined && uid !== 'clean' ? uid : pointedOut?.()
}

/** Whether a text is a table: more than one row, or more than one cell. */
export function isTable(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.includes('\t') || /\S[\r\n]+\s*\S/.test(trimmed)
}
