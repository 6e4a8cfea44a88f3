// The windows of the program ask each other for unsaved text before an act that starts the pages of all of them again.
import { openEditors } from '../../../grid/open-editors.svelte'
import { unsaved } from '../../contact/unsaved.svelte'
import { hasTypedText } from './typed-text'

const CHANNEL = 'roost.unsaved'
/** Held by every page while it lives, so that others know how many answers to wait for. */
const PAGE_LOCK = 'roost.page'
/** A page that does not respond in time may have unsaved text. */
const WAIT_MS = 1_000

/** Returns whether this page would lose text if it started again. */
export const hasUnsavedText = (): boolean => unsaved.all.length > 0 || openEditors.isOpen || hasTypedText()

/** The question, or the answer whether a page has unsaved text. */
type WindowMessage = 'ask' | boolean

class OtherWindows {
  readonly #send: (message: WindowMessage) => void
  #hear: (hasUnsaved: boolean) => void = () => undefined

  constructor() {
    const channel = new BroadcastChannel(CHANNEL)
    this.#send = channel.postMessage.bind(channel)
    channel.addEventListener('message', ({ data }: MessageEvent<WindowMessage>) => {
      if (data === 'ask') void this.#answer()
      else this.#hear(data)
    })
    void navigator.locks.request(PAGE_LOCK, { mode: 'shared' }, () => new Promise(() => undefined))
  }

  /** Saves what saves itself, and answers for the rest. */
  async #answer(): Promise<void> {
    await openEditors.finish()
    this.#send(hasUnsavedText())
  }

  async ask(): Promise<boolean> {
    const { held = [] } = await navigator.locks.query()
    let others = held.filter(({ name }) => name === PAGE_LOCK).length - 1
    if (others < 1) return false
    return new Promise((answer) => {
      setTimeout(() => answer(true), WAIT_MS)
      this.#hear = (hasUnsaved) => {
        others -= 1
        if (hasUnsaved || others === 0) answer(hasUnsaved)
      }
      this.#send('ask')
    })
  }
}

/** Lets this page ask the other windows, and answer them. */
export function joinOtherWindows(): void {
  const others = new OtherWindows()
  unsaved.askOthers = () => others.ask()
}
