// Files and texts to import, on their way from a drop, a paste, a file dialog or another screen to the one that takes
// them, and the list for which they are probably meant.
import { href, router } from '../../lib/router.svelte'

export interface Incoming {
  readonly files: readonly File[]
  /** Paths of files on this computer: those with which the program was opened, or that the desktop passed later. */
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

  /** Gives drops and pastes to `taker` instead of the screen of imports, until the returned function is called. Files
   *  that the desktop passed are contacts, so the screen of imports still gets them. */
  takenBy(taker: (given: Incoming) => void): () => void {
    this.#taker = taker
    return () => {
      if (this.#taker === taker) this.#taker = undefined
    }
  }

  /** Passes it to the taker, if there is one, or else to the screen of imports, which is opened if necessary. */
  give(given: Incoming): void {
    if (this.#taker !== undefined && given.paths === undefined) return this.#taker(given)
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

/** Returns the list whose contacts are in view, or the one that the current screen pointed out. */
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
