// The last thing worth telling, shown in the status bar and read by screen readers.

const SHOWN_MS = 6000

class Announcer {
  text = $state('')
  #timer: ReturnType<typeof setTimeout> | undefined

  say(text: string): void {
    clearTimeout(this.#timer)
    this.text = text
    this.#timer = setTimeout(() => (this.text = ''), SHOWN_MS)
  }
}

export const announcer = new Announcer()
