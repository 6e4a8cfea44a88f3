// Renders the engine on the page, one frame at a time, and forwards keys and clipboard events to it. No framework.
import { readClip } from '../engine/clip'
import { Engine } from '../engine/engine'
import { keyToAct, type KeyboardLayout } from '../engine/keys'
import type { GridSource, EngineHooks } from '../engine/source'
import { Bars } from './bars'
import { Body } from './body'
import { Editor } from './editor'
import { createElement, type GridFrame } from './frame'
import { Header } from './header'
import { Live } from './live'
import { listenToPointer } from './pointer'
import { Range } from './range'
import type { GridTexts } from './texts'

export interface RendererOptions {
  readonly source: GridSource
  readonly texts: GridTexts
  readonly label: string
  readonly keyboard: Omit<KeyboardLayout, 'rtl'>
  readonly hooks: Omit<EngineHooks, 'changed' | 'editing' | 'announce'> &
    Partial<Pick<EngineHooks, 'announce'>>
}

/** Room for three marks of a row's states beside its number, and for the padding. */
const LEAD_ROOM = 58
const DIGIT = 8.2
const PADDING = 20

const MODIFIERS: ReadonlySet<string> = new Set(['Control', 'Meta', 'Shift', 'Alt'])

let made = 0

export class Renderer {
  readonly engine: Engine
  readonly #frame: GridFrame
  readonly #header: Header
  readonly #body: Body
  readonly #bars: Bars
  readonly #range: Range
  readonly #editor: Editor
  readonly #live: Live
  readonly #keyboard: Omit<KeyboardLayout, 'rtl'>
  readonly #probe: HTMLElement
  readonly #observer: ResizeObserver
  readonly #stopPointer: () => void
  #frameRequest = 0
  #isMeasured = false
  #total = -1
  #colcount = -1
  #active = ''
  #isBusy = false
  #digits = 0

  constructor(host: HTMLElement, { source, texts, label, keyboard, hooks }: RendererOptions) {
    this.#keyboard = keyboard
    const paint = (): void => this.#requestFrame()
    this.engine = new Engine(source, {
      ...hooks,
      changed: paint,
      editing: () => this.#editor.open(),
      announce: (announcement) => {
        this.#live.announce(announcement)
        hooks.announce?.(announcement)
      },
    })
    made += 1
    host.classList.add('roost-grid')
    const grid = createElement(host, 'grid', 'grid')
    grid.tabIndex = 0
    grid.setAttribute('aria-label', label)
    grid.setAttribute('aria-multiselectable', 'true')
    const body = createElement(grid, 'body', 'rowgroup')
    body.translate = false
    const layer = createElement(host, 'layer')
    this.#frame = {
      engine: this.engine,
      texts,
      host,
      grid,
      body,
      layer,
      id: `grid${made}`,
      rtl: false,
      rowHeight: 32,
      headHeight: 36,
      lead: 64,
      width: 0,
      height: 0,
      scale: 1,
      paint,
    }
    this.#body = new Body(this.#frame)
    this.#header = new Header(this.#frame, (column) => this.#widest(column))
    this.#bars = new Bars(this.#frame)
    this.#range = new Range(this.#frame)
    this.#editor = new Editor(this.#frame)
    this.#live = new Live(this.#frame)
    this.#stopPointer = listenToPointer(this.#frame)
    this.#probe = createElement(host, 'probe')
    this.#probe.setAttribute('aria-hidden', 'true')
    this.#observer = new ResizeObserver(() => {
      this.#isMeasured = false
      paint()
    })
    this.#observer.observe(host)
    this.#observer.observe(this.#probe)
    grid.addEventListener('keydown', (event) => this.#handleKey(event))
    this.#listenToClipboard(grid)
    grid.addEventListener('focus', () => host.classList.add('active'))
    grid.addEventListener('blur', () => host.classList.remove('active'))
  }

  focus(): void {
    this.#frame.grid.focus({ preventScroll: true })
  }

  /** Returns the heading of a column, or the focused cell, for a menu to attach to. */
  anchor(column?: string): HTMLElement {
    const place = column === undefined ? -1 : this.engine.columns.findIndex(column)
    const found = place === -1 ? document.getElementById(this.#active) : this.#header.element(place)
    return found ?? this.#frame.grid
  }

  /** Returns the width that a column's title and its texts in view need, at 100 %. */
  fit(column: string): number {
    const place = this.engine.columns.findIndex(column)
    return place === -1 ? 0 : this.#widest(place) / this.#frame.scale
  }

  /** Measures again, because the direction or the zoom of the page has changed. */
  measure(): void {
    this.#isMeasured = false
    this.#requestFrame()
  }

  label(text: string): void {
    this.#frame.grid.setAttribute('aria-label', text)
  }

  /** The live region, for announcing what happened outside the grid, such as the result of a bulk act. */
  get live(): Live {
    return this.#live
  }

  destroy(): void {
    // WebKit does not blur a field that is removed, so nothing else would save its text.
    void this.engine.writing.finish()
    cancelAnimationFrame(this.#frameRequest)
    this.#observer.disconnect()
    this.#stopPointer()
    this.#body.drop()
    this.#bars.drop()
    this.#live.drop()
    this.engine.blocks.drop()
    this.#frame.host.replaceChildren()
  }

  #requestFrame(): void {
    if (this.#frameRequest === 0) this.#frameRequest = requestAnimationFrame(() => this.#paint())
  }

  #paint(): void {
    // Changes made while measuring and painting are part of this frame already.
    if (!this.#isMeasured || this.#digits !== digitsOf(this.engine.total)) this.#measure()
    if (this.#frame.width > 0) {
      this.engine.fetch()
      this.#header.paint()
      this.#body.paint()
      this.#bars.paint()
      this.#range.paint()
      this.#editor.paint()
      this.#describe()
    }
    this.#frameRequest = 0
  }

  #measure(): void {
    const frame = this.#frame
    const { host } = frame
    this.#isMeasured = true
    this.#digits = digitsOf(this.engine.total)
    const style = getComputedStyle(host)
    frame.rtl = style.direction === 'rtl'
    host.classList.toggle('rtl', frame.rtl)
    frame.scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1
    frame.rowHeight = Math.round(this.#probe.offsetHeight) || 32
    frame.headHeight = frame.rowHeight + 4
    const bar = Number.parseFloat(style.getPropertyValue('--bar')) || 14
    const digits = Math.max(3, this.#digits)
    frame.lead = Math.round(((digits + Math.floor((digits - 1) / 3) * 0.5) * DIGIT + LEAD_ROOM) * frame.scale)
    frame.width = Math.max(0, host.clientWidth - bar)
    frame.height = Math.max(0, host.clientHeight - frame.headHeight - bar)
    host.style.setProperty('--head', `${frame.headHeight}px`)
    host.style.setProperty('--line-height', `${frame.rowHeight}px`)
    this.engine.measure({
      rowHeight: frame.rowHeight,
      height: frame.height,
      width: Math.max(0, frame.width - frame.lead),
      scale: frame.scale,
    })
  }

  /** Sets the accessible description of the grid as a whole. */
  #describe(): void {
    const { engine } = this
    const { grid } = this.#frame
    const total = engine.view.isExact ? engine.total + 1 : -1
    if (total !== this.#total) {
      this.#total = total
      grid.setAttribute('aria-rowcount', String(total))
    }
    const columns = engine.columns.ids.length + 1
    if (columns !== this.#colcount) {
      this.#colcount = columns
      grid.setAttribute('aria-colcount', String(columns))
    }
    if (this.#body.isWaiting !== this.#isBusy) {
      this.#isBusy = this.#body.isWaiting
      grid.setAttribute('aria-busy', String(this.#isBusy))
    }
    if (this.#body.active !== this.#active) {
      this.#active = this.#body.active
      if (this.#active === '') grid.removeAttribute('aria-activedescendant')
      else grid.setAttribute('aria-activedescendant', this.#active)
    }
  }

  #handleKey(event: KeyboardEvent): void {
    if (event.defaultPrevented) return
    // Only the paste that follows its own key press is special.
    if (!MODIFIERS.has(event.key)) this.engine.writing.isSpecial = false
    const act = keyToAct(event, { ...this.#keyboard, rtl: this.#frame.rtl })
    if (act === undefined) return
    const isDone = this.engine.act(act)
    if (!isDone) return
    event.stopPropagation()
    // The key press that begins an edit goes on into the field.
    if (act.act !== 'type') event.preventDefault()
  }

  #listenToClipboard(grid: HTMLElement): void {
    const { writing } = this.engine
    const take = (event: ClipboardEvent, cut: boolean): void => {
      event.preventDefault()
      event.stopPropagation()
      if (this.engine.isWaiting) {
        // The event has ended by then, so the copy uses the clipboard API.
        this.engine.runAfterSelection(() => void writing.copy(false, cut))
        return
      }
      void writing.copy(false, cut, (text, html) => {
        if (event.clipboardData === null) return false
        event.clipboardData.setData('text/plain', text)
        event.clipboardData.setData('text/html', html)
        return true
      })
    }
    grid.addEventListener('copy', (event) => take(event, false))
    grid.addEventListener('cut', (event) => take(event, true))
    grid.addEventListener('paste', (event) => {
      const table = event.clipboardData === null ? undefined : readClip(event.clipboardData)
      event.preventDefault()
      event.stopPropagation()
      if (table !== undefined) this.engine.runAfterSelection(() => void writing.paste(table))
    })
    // WebKit first asks whether there is anything to copy or a place to paste to.
    for (const name of ['beforecopy', 'beforecut', 'beforepaste'])
      grid.addEventListener(name, (event) => event.preventDefault())
  }

  #widest(column: number): number {
    const context = document.createElement('canvas').getContext('2d')
    const heading = this.#header.element(column)
    if (context === null || heading === undefined) return 0
    const { font } = getComputedStyle(this.#frame.body)
    context.font = font
    let most = context.measureText(heading.querySelector('.title')?.textContent ?? '').width + 40
    for (const text of this.#body.textsOf(column)) most = Math.max(most, context.measureText(text).width)
    return Math.ceil(most + PADDING)
  }
}

function digitsOf(total: number): number {
  return String(Math.max(1, total)).length
}
