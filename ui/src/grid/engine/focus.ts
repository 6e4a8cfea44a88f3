// Where a step, a page, an edge or a round trip leads from a cell; pure arithmetic.
import type { Columns } from './columns'
import type { Direction } from './keys'
import type { CellRange, CellPosition } from './selection'

export function stepFrom({ row, column }: CellPosition, to: Direction): CellPosition {
  if (to === 'up' || to === 'down') return { row: row + (to === 'up' ? -1 : 1), column }
  return { row, column: column + (to === 'start' ? -1 : 1) }
}

/** Returns the column one page further sideways; at least the next one. */
export function findPagedColumn(columns: Columns, column: number, by: number): number {
  const { starts, frozen } = columns
  const target = columns.restAt(Math.max(0, (starts[Math.max(column, frozen)] ?? 0) + by))
  return by < 0 ? Math.min(target, column - 1) : Math.max(target, column + 1)
}

/** Returns the end of the run of filled cells in a row, or the next filled cell. */
export function findEdgeColumn(
  cells: { text(row: number, column: number): string | undefined },
  count: number,
  { row, column }: CellPosition,
  by: 1 | -1,
): number {
  const isFilled = (place: number): boolean => (cells.text(row, place) ?? '') !== ''
  const inside = (place: number): boolean => place >= 0 && place < count
  let at = column + by
  if (!inside(at)) return column
  if (isFilled(column) && isFilled(at)) {
    while (inside(at + by) && isFilled(at + by)) at += by
    return at
  }
  while (inside(at + by) && !isFilled(at)) at += by
  return at
}

/** Returns the next cell within a range, row by row or column by column; the end continues at the beginning. */
export function nextInRange(
  range: CellRange,
  from: CellPosition,
  along: 'row' | 'column',
  by: 1 | -1,
): CellPosition {
  const { top, bottom, left, right } = range
  const width = right - left
  const height = bottom - top
  const row = from.row - top
  const column = from.column - left
  const size = width * height
  const at = ((along === 'row' ? row * width + column : column * height + row) + by + size) % size
  return along === 'row'
    ? { row: top + Math.floor(at / width), column: left + (at % width) }
    : { row: top + (at % height), column: left + Math.floor(at / height) }
}
