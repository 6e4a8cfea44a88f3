// The scrollbars and the wheel. The bars are the system's own and are beside the rows, because the rows never move.
import { toWheelPixels } from '../engine/scroll'
import { createElement, type GridFrame } from './frame'

const LEAST_SEEN = 0.5
const REST_MS = 150

export class Bars {
  readonly #frame: GridFrame
  readonly #verticalBar: HTMLElement
  readonly #horizontalBar: HTMLElement
  readonly #verticalSizer: HTMLElement
  readonly #horizontalSizer: HTMLElement
  #height = -1
  #width = -1
  #top = 0
  #isFresh = true
  #left = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(frame: GridFrame) {
    this.#frame = frame
    this.#verticalBar = createElement(frame.host, 'bar down')
    this.#horizontalBar = createElement(frame.host, 'bar across')
    for (const bar of [this.#verticalBar, this.#horizontalBar]) {
      bar.tabIndex = -1
      bar.setAttribute('aria-hidden', 'true')
      // After dragging a thumb, the user continues with the keys of the rows.
      bar.addEventListener('focus', () => frame.grid.focus({ preventScroll: true }))
    }
    this.#verticalSizer = createElement(this.#verticalBar, 'sizer')
    this.#horizontalSizer = createElement(this.#horizontalBar, 'sizer')
    this.#verticalBar.addEventListener('scroll', () => this.#handleVertical(), { passive: true })
    this.#horizontalBar.addEventListener('scroll', () => this.#handleHorizontal(), { passive: true })
    frame.host.addEventListener('wheel', (event) => this.#handleWheel(event), { passive: false })
  }

  paint(): void {
    const { engine, headHeight } = this.#frame
    const { scroll, columns } = engine
    // The bar is as tall as the rows, so its track ends where theirs does.
    if (scroll.height !== this.#height) {
      this.#height = scroll.height
      this.#verticalSizer.style.blockSize = `${scroll.height}px`
    }
    const wide = engine.maxX === 0 ? 0 : this.#frame.lead + columns.frozenWidth + columns.restWidth
    if (wide !== this.#width) {
      this.#width = wide
      this.#horizontalSizer.style.inlineSize = `${wide}px`
      this.#isFresh = true
    }
    this.#verticalBar.style.insetBlockStart = `${headHeight}px`
    this.#follow()
    const left = this.#frame.rtl ? -engine.x : engine.x
    if (left !== this.#left) {
      this.#left = left
      this.#horizontalBar.scrollLeft = left
    }
  }

  /** Moves the thumb to its position. Among a million rows it moves by a thousandth of a pixel a frame, and setting
   *  it costs a layout; so this happens only when the change is visible or the rows are at rest. */
  #follow(isAtRest = false): void {
    const { scroll } = this.#frame.engine
    const top = Math.round(scroll.thumb)
    if (top === this.#top) return
    clearTimeout(this.#timer)
    const seen = (Math.abs(top - this.#top) * scroll.viewHeight) / Math.max(1, scroll.height)
    const isEnd = scroll.first === 0 || scroll.first === scroll.lastFirst
    if (seen < LEAST_SEEN && !isEnd && !isAtRest) {
      this.#timer = setTimeout(() => this.#follow(true), REST_MS)
      return
    }
    this.#top = top
    this.#verticalBar.scrollTop = top
  }

  drop(): void {
    clearTimeout(this.#timer)
  }

  /** Handles a scroll by hand, unless it is the echo of `#follow`. */
  #handleVertical(): void {
    const top = this.#verticalBar.scrollTop
    if (Math.abs(top - this.#top) <= 1) return
    this.#top = Math.round(top)
    this.#frame.engine.dragThumbTo(top)
  }

  #handleHorizontal(): void {
    const left = this.#horizontalBar.scrollLeft
    if (Math.abs(left - this.#left) <= 1) return
    const isFresh = this.#isFresh
    this.#isFresh = false
    if (
      isFresh &&
      Math.abs(left - this.#left) === this.#horizontalBar.offsetWidth - this.#horizontalBar.clientWidth
    ) {
      // In right-to-left pages, Chromium first places a bar that has just got its width one gutter off.
      this.#horizontalBar.scrollLeft = this.#left
      return
    }
    this.#left = left
    this.#frame.engine.scrollX(Math.abs(left))
  }

  #handleWheel(event: WheelEvent): void {
    // Ctrl with the wheel zooms; leave it to the browser.
    if (event.ctrlKey || event.defaultPrevented) return
    const { engine, rowHeight, height, rtl } = this.#frame
    const page = Math.max(rowHeight, height - rowHeight)
    let x = toWheelPixels(event.deltaX, event.deltaMode, rowHeight, page)
    let y = toWheelPixels(event.deltaY, event.deltaMode, rowHeight, page)
    if (event.shiftKey && x === 0) [x, y] = [y, 0]
    if (engine.scrollBy(rtl ? -x : x, y) || engine.total > engine.scroll.page) event.preventDefault()
  }
}
