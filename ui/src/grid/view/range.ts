// The outline of the active range, its fill handle, and the outline of the cells that filling would cover.
import type { CellRange } from '../engine/selection'
import { Drift } from './drift'
import { columnStart, createElement, findCell, type GridFrame } from './frame'
import { followPointer } from './follow-pointer'

export class Range {
  readonly #frame: GridFrame
  readonly #box: HTMLElement
  readonly #handle: HTMLElement
  readonly #fillElement: HTMLElement
  #target: CellRange | undefined

  constructor(frame: GridFrame) {
    this.#frame = frame
    this.#box = createElement(frame.layer, 'range')
    this.#fillElement = createElement(frame.layer, 'range filling')
    this.#handle = createElement(frame.layer, 'handle')
    this.#fillElement.hidden = true
    this.#handle.title = frame.texts.handle()
    this.#handle.addEventListener('pointerdown', (event) => this.#handlePress(event))
    this.#handle.addEventListener('dblclick', (event) => {
      event.stopPropagation()
      void frame.engine.writing.fillBeside(event.ctrlKey || event.metaKey)
    })
  }

  paint(): void {
    const { engine } = this.#frame
    const { selection, writing } = engine
    const { rect, removes } = selection
    const isShown = engine.total > 0 && engine.columns.ids.length > 0 && !removes
    this.#place(this.#box, isShown ? rect : undefined)
    this.#place(this.#fillElement, this.#target)
    const end =
      isShown && selection.isSimple && writing.state === undefined ? this.#toCorner(rect) : undefined
    this.#handle.hidden = end === undefined
    if (end !== undefined) {
      this.#handle.style.insetInlineStart = `${end.x}px`
      this.#handle.style.insetBlockStart = `${end.y}px`
    }
  }

  #place(box: HTMLElement, rect: CellRange | undefined): void {
    const area = rect === undefined ? undefined : this.#toArea(rect)
    box.hidden = area === undefined
    if (area === undefined) return
    box.style.insetInlineStart = `${area.left}px`
    box.style.insetBlockStart = `${area.top}px`
    box.style.inlineSize = `${area.right - area.left}px`
    box.style.blockSize = `${area.bottom - area.top}px`
  }

  /** Returns the area in pixels of the layer, clipped slightly outside the view. */
  #toArea(rect: CellRange): CellRange | undefined {
    const { engine, rowHeight, lead, width, height } = this.#frame
    const { columns, scroll } = engine
    const top = Math.max(-4, (rect.top - scroll.first) * rowHeight)
    const bottom = Math.min(height + 4, (rect.bottom - scroll.first) * rowHeight)
    const edge = lead + columns.frozenWidth
    const last = rect.right - 1
    let left = columnStart(this.#frame, rect.left)
    let right = columnStart(this.#frame, last) + (columns.widths[last] ?? 0)
    // The scrolling part ends at the frozen columns.
    if (rect.left >= columns.frozen) left = Math.max(left, edge)
    if (last >= columns.frozen) right = Math.max(right, edge)
    left = Math.min(left, width + 4)
    right = Math.min(right, width + 4)
    return bottom <= top || right <= left ? undefined : { top, bottom, left, right }
  }

  #toCorner(rect: CellRange): { x: number; y: number } | undefined {
    const { engine, rowHeight, lead, width, height } = this.#frame
    const { columns, scroll } = engine
    const y = (rect.bottom - scroll.first) * rowHeight
    const last = rect.right - 1
    const x = columnStart(this.#frame, last) + (columns.widths[last] ?? 0)
    const isHidden = last >= columns.frozen && x <= lead + columns.frozenWidth
    return y <= 0 || y > height || x > width + 1 || isHidden ? undefined : { x, y }
  }

  #handlePress(event: PointerEvent): void {
    if (event.button !== 0) return
    event.preventDefault()
    event.stopPropagation()
    const { engine, paint } = this.#frame
    const from = engine.selection.rect
    let at = { x: event.clientX, y: event.clientY }
    const aim = (): void => {
      const { spot } = findCell(this.#frame, at.x, at.y)
      this.#target = extendTowards(from, spot)
      paint()
    }
    const drift = new Drift(this.#frame, aim)
    const move = (now: PointerEvent): void => {
      at = { x: now.clientX, y: now.clientY }
      aim()
      drift.follow(at)
    }
    followPointer(this.#frame.host, event, move, (last) => {
      drift.stop()
      const target = this.#target
      this.#target = undefined
      paint()
      if (last === undefined || target === undefined) return
      engine.choose({ row: target.top, column: target.left }, 'only')
      engine.choose({ row: target.bottom - 1, column: target.right - 1 }, 'extend')
      void engine.writing.drag(from, target, last.ctrlKey || last.metaKey)
    })
  }
}

/** Extends the range towards a cell in one direction; undefined if it would not grow. */
function extendTowards(
  from: CellRange,
  { row, column }: { row: number; column: number },
): CellRange | undefined {
  const down = row >= from.bottom ? row - from.bottom + 1 : row < from.top ? row - from.top : 0
  const across = column >= from.right ? column - from.right + 1 : column < from.left ? column - from.left : 0
  if (down === 0 && across === 0) return undefined
  if (down !== 0) return { ...from, top: Math.min(from.top, row), bottom: Math.max(from.bottom, row + 1) }
  return { ...from, left: Math.min(from.left, column), right: Math.max(from.right, column + 1) }
}
