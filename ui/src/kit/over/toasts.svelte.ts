// Short messages that come and go, and the one live region that reads them aloud.

export interface Toast {
  id: number
  text: string
  kind: 'done' | 'warning' | 'fault'
  undo: Undo | undefined
  link: Link | undefined
  ask: Question | undefined
  instead: string | undefined
}

interface Undo {
  /** Whether there is a way back now; read in the markup, so the button comes and goes. */
  can: () => boolean
  run: () => void
}

/** Where one looks at what the toast tells. */
interface Link {
  title: string
  href: string
}

/** What the toast asks: it stays until it is answered. */
interface Question {
  /** What the button does. */
  title: string
  run: () => void
  close: () => void
}

interface Options {
  kind?: Toast['kind']
  /** Shows an Undo button while it can. */
  undo?: Undo
  link?: Link | undefined
  ask?: Question
  /** Takes the place of another of the same kind, which it makes untrue. */
  instead?: string
  /** Only shown: it is read aloud elsewhere. */
  quiet?: boolean
}

const SHOWN_MS = 7000
/** Long enough to read, decide and reach the button. */
const SHOWN_WITH_ACT_MS = 15_000
/** More would cover what one works on. */
const MOST = 2

class Toasts {
  shown = $state.raw<readonly Toast[]>([])
  /** What the live region says; it is emptied so that the same words are read again. */
  said = $state('')
  #next = 1
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()

  say(text: string): void {
    this.said = ''
    setTimeout(() => (this.said = text))
  }

  add(text: string, { kind = 'done', undo, link, ask, instead, quiet = false }: Options = {}): void {
    const made: Toast = { id: this.#next++, text, kind, undo, link, ask, instead }
    for (const old of this.shown) if (instead !== undefined && old.instead === instead) this.dismiss(old)
    const passing = this.shown.filter((shown) => shown.ask === undefined)
    for (const old of passing.slice(0, Math.max(this.shown.length - MOST + 1, 0))) this.dismiss(old)
    this.shown = [...this.shown, made]
    if (!quiet) this.say(text)
    this.release(made)
  }

  /** Someone is reading it, or is on the way to its button. */
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

  /** What it asks or tells is not so any more. */
  withdraw(instead: string): void {
    for (const old of this.shown) if (old.instead === instead) this.dismiss(old)
  }

  dismiss({ id }: Toast): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    this.shown = this.shown.filter((shown) => shown.id !== id)
  }
}

export const toasts = new Toasts()

/** Tells that something is done, or went wrong, without taking the focus. */
export function toast(text: string, options?: Options): void {
  toasts.add(text, options)
}

/** Only for screen readers: a move, a count. */
export function announce(text: string): void {
  toasts.say(text)
}
