// Short messages, and the live region that announces them.

export interface Toast {
  id: number
  text: string
  kind: 'done' | 'warning' | 'fault'
  undo: ToastUndo | undefined
  link: ToastLink | undefined
  ask: Question | undefined
  instead: string | undefined
}

interface ToastUndo {
  /** Whether undo is still possible. The markup reads it, so the button appears and disappears with it. */
  can: () => boolean
  run: () => void
}

/** A link to what the toast is about. */
interface ToastLink {
  title: string
  href: string
}

/** A question of the toast, which stays until it is answered. */
interface Question {
  /** The label of the button. */
  title: string
  run: () => void
  close: () => void
}

interface ToastOptions {
  kind?: Toast['kind']
  /** Shows an Undo button while undo is possible. */
  undo?: ToastUndo
  link?: ToastLink | undefined
  ask?: Question
  /** Replaces an earlier toast of the same kind, which this one makes untrue. */
  instead?: string
  /** Only shown, because it is announced elsewhere. */
  quiet?: boolean
}

const SHOWN_MS = 7000
/** Long enough to read, decide and reach the button. */
const SHOWN_WITH_ACT_MS = 15_000
/** More messages would not be readable in the status bar. */
const MOST = 2

/** A longer text does not fit into two lines of a message. */
const MOST_CHARACTERS = 100

const isInFull = ({ ask, kind, text }: Toast): boolean =>
  ask !== undefined || (kind !== 'done' && text.length > MOST_CHARACTERS)

class Toasts {
  shown = $state.raw<readonly Toast[]>([])
  /** Questions, and failures that are too long for the two lines of a message: they have lines of their own. */
  readonly lines = $derived(this.shown.filter(isInFull))
  readonly messages = $derived(this.shown.filter((shown) => !isInFull(shown)))
  /** The text of the live region. It is emptied first, so that the same text is announced again. */
  announced = $state('')
  #nextId = 1
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()

  say(text: string): void {
    this.announced = ''
    setTimeout(() => (this.announced = text))
  }

  /** A text that is a function is that of the page's language, whenever it is shown. */
  add(
    text: string | (() => string),
    { kind = 'done', undo, link, ask, instead, quiet = false }: ToastOptions = {},
  ): void {
    const getText = typeof text === 'function' ? text : (): string => text
    const made: Toast = {
      id: this.#nextId++,
      get text() {
        return getText()
      },
      kind,
      undo,
      link,
      ask,
      instead,
    }
    if (instead !== undefined) this.withdraw(instead)
    const passing = this.shown.filter((shown) => shown.ask === undefined)
    const oldest = ask === undefined ? passing.slice(0, Math.max(passing.length - MOST + 1, 0)) : []
    for (const old of oldest) this.dismiss(old)
    this.shown = [...this.shown, made]
    if (!quiet) this.say(getText())
    this.release(made)
  }

  /** Keeps a toast while the user reads it or moves to its button. */
  hold({ id }: Toast): void {
    clearTimeout(this.#timers.get(id))
  }

  release(held: Toast): void {
    clearTimeout(this.#timers.get(held.id))
    if (held.ask !== undefined) return
    const ms = held.undo === undefined && held.kind === 'done' ? SHOWN_MS : SHOWN_WITH_ACT_MS
    this.#timers.set(
      held.id,
      setTimeout(() => this.dismiss(held), ms),
    )
  }

  /** Removes a toast whose question or message no longer applies. */
  withdraw(instead: string): void {
    for (const old of this.shown) if (old.instead === instead) this.dismiss(old)
  }

  /** Removes all toasts but questions, because they are in another language than the page. */
  dismissPassing(): void {
    for (const old of this.messages) this.dismiss(old)
  }

  dismiss({ id }: Toast): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    this.shown = this.shown.filter((shown) => shown.id !== id)
  }
}

export const toasts = new Toasts()

/** Shows a message about a result or a failure, without moving the focus. */
export function toast(text: string | (() => string), options?: ToastOptions): void {
  toasts.add(text, options)
}

/** Announces a text to screen readers only, such as a move or a count. */
export function announce(text: string): void {
  toasts.say(text)
}
