// The list of a column's existing values, below the field in which a cell is edited; keys or the pointer choose one.
import { createElement, type GridFrame } from './frame'

const MOST_SHOWN = 50

export class Values {
  readonly #frame: GridFrame
  readonly #list: HTMLElement
  readonly #field: HTMLTextAreaElement
  readonly #onPick: (text: string) => void
  #all: readonly string[] = []
  #at = -1
  /** Identifies the edited cell, so that responses for an earlier one are ignored. */
  #turn = 0

  constructor(
    frame: GridFrame,
    box: HTMLElement,
    field: HTMLTextAreaElement,
    picked: (text: string) => void,
  ) {
    this.#frame = frame
    this.#field = field
    this.#onPick = picked
    this.#list = createElement(box, 'values', 'listbox')
    this.#list.id = `${frame.id}-values`
    this.#list.translate = false
    this.#list.hidden = true
    // The field keeps the focus, so that the edit continues.
    this.#list.addEventListener('pointerdown', (event) => {
      event.preventDefault()
      const option = event.target instanceof Element ? event.target.closest('[role=option]') : null
      if (option !== null) picked(option.textContent ?? '')
    })
  }

  get isOpen(): boolean {
    return !this.#list.hidden
  }

  async open(column: string, title: string): Promise<void> {
    const { source, hooks } = this.#frame.engine
    const turn = (this.#turn += 1)
    try {
      const values = await source.values?.(column)
      if (turn !== this.#turn || values === undefined) return
      this.#all = values
      this.#list.setAttribute('aria-label', this.#frame.texts.values(title))
      this.#field.setAttribute('aria-controls', this.#list.id)
      this.show('')
    } catch (error) {
      hooks.failed(error)
    }
  }

  /** Shows the values that contain the typed text. */
  show(typed: string): void {
    const wanted = typed.trim().toLocaleLowerCase()
    const shown = this.#all
      .filter((text) => wanted === '' || text.toLocaleLowerCase().includes(wanted))
      .slice(0, MOST_SHOWN)
    this.#at = -1
    this.#list.replaceChildren(
      ...shown.map((text, at) => {
        const option = document.createElement('div')
        option.id = `${this.#list.id}-${at}`
        option.dir = 'auto'
        option.textContent = text
        option.setAttribute('role', 'option')
        option.setAttribute('aria-selected', 'false')
        return option
      }),
    )
    this.#list.hidden = shown.length === 0
    this.#field.removeAttribute('aria-activedescendant')
  }

  close(): void {
    this.#turn += 1
    this.#all = []
    this.#list.hidden = true
    this.#list.replaceChildren()
    this.#field.removeAttribute('aria-activedescendant')
    this.#field.removeAttribute('aria-controls')
  }

  /** Returns whether the list used the key press. */
  key({ key }: KeyboardEvent): boolean {
    if (!this.isOpen) return false
    const count = this.#list.children.length
    if (key === 'ArrowDown') this.#moveMark((this.#at + 1) % count)
    else if (key === 'ArrowUp') this.#moveMark((Math.max(this.#at, 0) - 1 + count) % count)
    else if (key === 'Escape') this.close()
    else if (key === 'Enter' && this.#at >= 0) this.#onPick(this.#list.children[this.#at]?.textContent ?? '')
    else return false
    return true
  }

  #moveMark(to: number): void {
    this.#list.children[this.#at]?.setAttribute('aria-selected', 'false')
    this.#at = to
    const option = this.#list.children[to]
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    this.#field.setAttribute('aria-activedescendant', option?.id ?? '')
  }
}
