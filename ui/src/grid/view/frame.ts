// The elements that all parts of the grid share, and their measures.
import type { Engine } from '../engine/engine'
import type { CellPosition } from '../engine/selection'
import type { GridTexts } from './texts'

export interface GridFrame {
  readonly engine: Engine
  readonly texts: GridTexts
  readonly host: HTMLElement
  readonly grid: HTMLElement
  /** The rows. */
  readonly body: HTMLElement
  /** The layer over the rows: the range, its handle and the editor. */
  readonly layer: HTMLElement
  readonly id: string
  rtl: boolean
  rowHeight: number
  headHeight: number
  /** The width of the row numbers. */
  lead: number
  /** The size of the rows' area, without scrollbars and headings. */
  width: number
  height: number
  scale: number
  paint(): void
}

export function createElement(parent: Element, className: string, role?: string): HTMLElement {
  const element = document.createElement('div')
  element.className = className
  if (role !== undefined) element.setAttribute('role', role)
  parent.append(element)
  return element
}

export type Zone = 'lead' | 'cell'

/** Returns the cell at a point of the page; the nearest one for points outside. */
export function findCell(
  frame: GridFrame,
  clientX: number,
  clientY: number,
): { spot: CellPosition; zone: Zone } {
  const box = frame.body.getBoundingClientRect()
  const x = frame.rtl ? box.right - clientX : clientX - box.left
  const { engine } = frame
  const slot = Math.floor((clientY - box.top) / frame.rowHeight)
  const most = Math.min(engine.scroll.first + engine.scroll.slots, engine.total) - 1
  const row = Math.max(engine.scroll.first, Math.min(engine.scroll.first + slot, most))
  return { spot: { row, column: findColumn(frame, x) }, zone: x < frame.lead ? 'lead' : 'cell' }
}

/** Returns the column at a distance from the start of the rows. */
export function findColumn(frame: GridFrame, x: number): number {
  const { columns, x: scrolled } = frame.engine
  const inside = x - frame.lead
  if (inside < columns.frozenWidth && columns.frozen > 0) return columns.frozenAt(Math.max(0, inside))
  return columns.restAt(Math.max(0, inside - columns.frozenWidth + scrolled))
}

/** Returns the start of a column, measured from the start of the rows at the current scroll position. */
export function columnStart(frame: GridFrame, column: number): number {
  const { columns, x } = frame.engine
  const start = frame.lead + (columns.starts[column] ?? 0)
  return column < columns.frozen ? start : start + columns.frozenWidth - x
}
