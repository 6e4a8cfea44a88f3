// Files and texts to import, on their way from a drop, a paste or a file dialog to the screen that takes them.
import { href, router } from '../../lib/router.svelte'

export interface Incoming {
  readonly files: readonly File[]
  /** Paths of files on this computer, if the page may name them: files with which the program was opened. */
  readonly paths?: readonly string[] | undefined
  /** A table that was pasted or dragged in. */
  readonly text?: string | undefined
  /** The list that was in view. */
  readonly list?: string | undefined
  /** Set if another screen refused the rows: the import shows them at once, to be fixed. */
  readonly refused?: RefusedPaste | undefined
}

export interface RefusedPaste {
  /** How many of the other rows that screen added. */
  readonly added: number
  /** The country that was used to read their numbers. */
  readonly country: string | null
  /** The numbers that the rows after the first had on that screen. */
  readonly rows: readonly number[]
}

class IncomingFiles {
  waiting = $state.raw<Incoming>()
  #taker: ((given: Incoming) => void) | undefined

  /** Gives everything to `taker` until the returned function is called. */
  takenBy(taker: (given: Incoming) => void): () => void {
    this.#taker = taker
    return () => {
      if (this.#taker === taker) this.#taker = undefined
    }
  }

  /** Passes it to the screen of imports, after opening that screen if necessary. */
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

/** Lets a screen with several lists say which one is meant, if that is clear, until the returned function is called. */
export function pointOutList(list: () => string | undefined): () => void {
  pointedOut = list
  return () => {
    if (pointedOut === list) pointedOut = undefined
  }
}

/** Returns the list whose contacts are in view, or the one that is meant on the current screen. */
export function listInView(): string | undefined {
  const { section, params } = router.place
  const [uid] = params
  return section === 'lists' && uid !== undefined && uid !== 'clean' ? uid : pointedOut?.()
}

/** Returns whether a text is a table: more than one row, or more than one cell. */
export function isTableText(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.includes('\t') || /\S[\r\n]+\s*\S/.test(trimmed)
}
