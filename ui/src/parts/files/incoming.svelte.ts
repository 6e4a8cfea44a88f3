// Files and texts to import, on their way from a drop, a paste, a file dialog or another screen to the one that takes
// them, and the list for which they are probably meant.
import { href, router } from '../../lib/router.svelte'

export interface IncomingFiles {
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

class IncomingInbox {
  waiting = $state.raw<IncomingFiles>()
  #receiver: ((given: IncomingFiles) => void) | undefined

  /** Gives drops and pastes to `receiver` instead of the screen of imports, until the returned function is called. Files
   *  that the desktop passed are contacts, so the screen of imports still gets them. */
  redirectTo(receiver: (given: IncomingFiles) => void): () => void {
    this.#receiver = receiver
    return () => {
      if (this.#receiver === receiver) this.#receiver = undefined
    }
  }

  /** Passes it to the receiver, if there is one, or else to the screen of imports, which is opened if necessary. */
  deliver(given: IncomingFiles): void {
    if (this.#receiver !== undefined && given.paths === undefined) return this.#receiver(given)
    this.waiting = given
    if (router.section !== 'import') router.go(href('import'))
  }

  takeWaiting(): IncomingFiles | undefined {
    const { waiting } = this
    this.waiting = undefined
    return waiting
  }
}

export const incoming = new IncomingInbox()

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
