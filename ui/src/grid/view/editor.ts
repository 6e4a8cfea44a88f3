// The field in which a cell is edited. It waits empty over the grid, so that the key press that begins an edit goes
// into it, and input methods and dead keys work from the first one on.
import type { EditEvent } from '../engine/edit'
import { columnStart, createElement, type GridFrame } from './frame'
import { Values } from './values'

const CHECK_MS = 120
const MOST_HEIGHT = 240
const ROOM_ROWS = 8

export class Editor {
  readonly #frame: GridFrame
  readonly #box: HTMLElement
  readonly #field: HTMLTextAreaElement
  readonly #fault: HTMLElement
  readonly #values: Values
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn = 0

  constructor(frame: GridFrame) {
    this.#frame = frame
    this.#box = createElement(frame.layer, 'editor')
    this.#box.hidden = true
    this.#field = document.createElement('textarea')
    this.#field.rows = 1
    this.#field.spellcheck = false
    this.#field.autocomplete = 'off'
    this.#field.dir = 'auto'
    this.#box.append(this.#field)
    this.#fault = createElement(this.#box, 'fault')
    this.#fault.id = `${frame.id}-fault`
    this.#fault.setAttribute('role', 'status')
    this.#fault.hidden = true
    this.#values = new Values(frame, this.#box, this.#field, (text) => this.#pickValue(text))
    this.#field.addEventListener('input', () => {
      this.#handleTyping()
      if (this.#values.isOpen) this.#values.show(this.#field.value)
    })
    this.#field.addEventListener('keydown', (event) => this.#handleKey(event))
    this.#field.addEventListener('blur', () => this.#feedEvent({ on: 'leave' }))
  }

  get isOpen(): boolean {
    return !this.#box.hidden
  }

  open(): void {
    const { engine, texts } = this.#frame
    const { state } = engine.writing
    if (state === undefined) return
    this.#field.value = state.text
    const title = engine.columns.shown[engine.columns.findIndex(state.column)]?.title ?? ''
    this.#field.setAttribute('aria-label', texts.editor(title, texts.number(state.row)))
    this.#showFault(undefined)
    this.#box.hidden = false
    this.paint()
    this.#growField()
    this.#field.focus({ preventScroll: true })
    this.#field.setSelectionRange(state.text.length, state.text.length)
    if (state.text !== '') this.#checkSoon()
  }

  /** Positions the field over its cell. Outside the view it still exists, invisibly. */
  paint(): void {
    const { engine, rowHeight, height, lead, width } = this.#frame
    const { state } = engine.writing
    if (state === undefined) {
      if (this.isOpen) this.#close(true)
      return
    }
    const place = engine.columns.findIndex(state.column)
    const slot = state.row - engine.scroll.first
    const edge = lead + (place < engine.columns.frozen ? 0 : engine.columns.frozenWidth)
    const start = Math.max(edge, columnStart(this.#frame, place))
    const { style } = this.#box
    const isSeen = slot >= 0 && (slot + 1) * rowHeight <= height + rowHeight && start < width
    style.opacity = isSeen ? '' : '0'
    style.insetInlineStart = `${Math.min(start, Math.max(edge, width - 80))}px`
    const top = Math.max(0, Math.min(slot * rowHeight, height - rowHeight))
    // Near the lower edge it grows upwards and shows the reason of a refusal above.
    const isLow = top > height - ROOM_ROWS * rowHeight && top > height / 2
    this.#box.classList.toggle('up', isLow)
    style.insetBlockStart = isLow ? 'auto' : `${top}px`
    style.insetBlockEnd = isLow ? `${height - top - rowHeight}px` : 'auto'
    style.minInlineSize = `${Math.min(engine.columns.widths[place] ?? 0, width - edge)}px`
    style.maxInlineSize = `${Math.max(120, width - start)}px`
  }

  #handleTyping(): void {
    const { engine } = this.#frame
    const { state } = engine.writing
    if (state === undefined) return
    this.#feedEvent({ on: 'input', text: this.#field.value })
    engine.reveal({ row: state.row, column: engine.columns.findIndex(state.column) })
    this.#growField()
    this.#checkSoon()
  }

  #handleKey(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return
    if (!event.altKey && this.#values.key(event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const meant = this.#toEditEvent(event)
    if (meant === undefined) {
      // Keep the grid's own keys and the screen's letters out of the text field.
      if (!event.ctrlKey && !event.metaKey && !/^F\d/.test(event.key)) event.stopPropagation()
      return
    }
    event.preventDefault()
    event.stopPropagation()
    if (meant === 'newline') this.#newline()
    else if (meant === 'values') this.#offerValues()
    else this.#feedEvent(meant)
  }

  #toEditEvent(event: KeyboardEvent): EditEvent | 'newline' | 'values' | undefined {
    const { key, shiftKey, altKey } = event
    const mod = event.ctrlKey || event.metaKey
    const quick = this.#frame.engine.writing.state?.quick === true
    switch (key) {
      case 'Enter':
        if (altKey) return 'newline'
        return mod ? { on: 'fill' } : { on: 'enter', back: shiftKey }
      case 'Tab':
        return mod || altKey ? undefined : { on: 'tab', back: shiftKey }
      case 'Escape':
        return { on: 'escape' }
      case 'F2':
        return { on: 'switch' }
    }
    if (altKey && key === 'ArrowDown' && !mod && !shiftKey) return 'values'
    if (!quick || mod || altKey || shiftKey) return undefined
    const { rtl } = this.#frame
    if (key === 'ArrowUp') return { on: 'arrow', to: 'up' }
    if (key === 'ArrowDown') return { on: 'arrow', to: 'down' }
    if (key === 'ArrowLeft') return { on: 'arrow', to: rtl ? 'end' : 'start' }
    if (key === 'ArrowRight') return { on: 'arrow', to: rtl ? 'start' : 'end' }
    return undefined
  }

  /** Offers the values that the column has already. */
  #offerValues(): void {
    const { engine } = this.#frame
    const { state } = engine.writing
    if (state === undefined || this.#values.isOpen) return
    const title = engine.columns.shown[engine.columns.findIndex(state.column)]?.title ?? ''
    void this.#values.open(state.column, title)
  }

  /** Takes a value and writes it like typed text. */
  #pickValue(text: string): void {
    this.#values.close()
    this.#field.value = text
    this.#field.setSelectionRange(text.length, text.length)
    this.#handleTyping()
  }

  #newline(): void {
    const { selectionStart, selectionEnd } = this.#field
    this.#field.setRangeText('\n', selectionStart, selectionEnd, 'end')
    this.#handleTyping()
  }

  #feedEvent(event: EditEvent): void {
    const { engine } = this.#frame
    if (engine.writing.state === undefined) return
    engine.writing.feed(event)
    // Close synchronously, so that the next key press goes to the grid and not to the hidden field.
    if (engine.writing.state === undefined) this.#close(event.on !== 'leave')
  }

  #close(refocus: boolean): void {
    clearTimeout(this.#timer)
    this.#turn += 1
    this.#values.close()
    const hadFocus = document.activeElement === this.#field
    if (refocus && hadFocus) this.#frame.grid.focus({ preventScroll: true })
    this.#box.hidden = true
    this.#field.value = ''
  }

  #growField(): void {
    const { style } = this.#field
    style.blockSize = '0'
    style.blockSize = `${Math.min(MOST_HEIGHT, Math.max(this.#frame.rowHeight, this.#field.scrollHeight + 4))}px`
  }

  #checkSoon(): void {
    const { source } = this.#frame.engine
    if (source.check === undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#requestFault(), CHECK_MS)
  }

  async #requestFault(): Promise<void> {
    const { engine } = this.#frame
    const { state } = engine.writing
    if (state === undefined) return
    const turn = (this.#turn += 1)
    try {
      const fault = await engine.source.check?.(state.column, state.text, state.row)
      if (turn === this.#turn) this.#showFault(fault)
    } catch (error) {
      engine.hooks.failed(error)
    }
  }

  #showFault(fault: string | undefined): void {
    this.#fault.hidden = fault === undefined
    this.#fault.textContent = fault ?? ''
    if (fault === undefined) {
      this.#field.removeAttribute('aria-invalid')
      this.#field.removeAttribute('aria-describedby')
    } else {
      this.#field.setAttribute('aria-invalid', 'true')
      this.#field.setAttribute('aria-describedby', this.#fault.id)
    }
  }
}
