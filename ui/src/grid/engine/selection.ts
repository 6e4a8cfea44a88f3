// The selection: the active range and the ranges selected before it. Exact for every cell, and cheap at any size.
import { Intervals, type Interval } from './intervals'

export interface CellPosition {
  readonly row: number
  /** The position among the shown columns. */
  readonly column: number
}

/** Half-open in both directions. */
export interface CellRange {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** What the active range spans: cells, whole rows, whole columns or everything. */
export type SelectionSpan = 'cells' | 'rows' | 'columns' | 'all'

/** Columns that have the same rows selected. */
export interface SelectionGroup {
  readonly rows: Intervals
  readonly columns: readonly string[]
}

export interface Extent {
  total: number
  columns: readonly string[]
}

const ORIGIN: CellPosition = { row: 0, column: 0 }

export class Selection {
  anchor: CellPosition = ORIGIN
  head: CellPosition = ORIGIN
  span: SelectionSpan = 'cells'
  /** Whether the active range deselects. */
  removes = false
  #extent: Extent = { total: 0, columns: [] }
  #base = new Map<string, Intervals>()

  /** Adjusts to the rows and columns shown; removed ones are no longer selected. */
  fit(extent: Extent): void {
    this.#extent = extent
    for (const [column, rows] of this.#base) {
      const kept = extent.columns.includes(column) ? rows.cut(extent.total) : Intervals.EMPTY
      if (kept.isEmpty) this.#base.delete(column)
      else this.#base.set(column, kept)
    }
    this.anchor = this.#clamp(this.anchor)
    this.head = this.#clamp(this.head)
  }

  /** Selects one cell and nothing else. */
  only(spot: CellPosition, span: SelectionSpan = 'cells'): void {
    this.#base.clear()
    this.removes = false
    this.span = span
    this.anchor = this.head = this.#clamp(spot)
  }

  /** Moves the far corner of the active range. */
  extend(spot: CellPosition, span: SelectionSpan = this.span): void {
    this.span = span
    this.head = this.#clamp(spot)
  }

  /** Starts another range. If it starts on something selected, it deselects. */
  add(spot: CellPosition, span: SelectionSpan = 'cells'): void {
    const at = this.#clamp(spot)
    const was = this.#isFullySelected(at, span)
    this.#commitRange()
    this.removes = was
    this.span = span
    this.anchor = this.head = at
  }

  selectAll(): void {
    this.#base.clear()
    this.removes = false
    this.span = 'all'
  }

  /** Replaces the selection by whole rows, such as the results of a search. */
  rowsOnly(rows: Intervals): void {
    this.only({ row: rows.first ?? 0, column: this.head.column }, 'rows')
    for (const column of this.#extent.columns) this.#base.set(column, rows.cut(this.#extent.total))
  }

  /** The active range. */
  get rect(): CellRange {
    const { total, columns } = this.#extent
    const { anchor, head, span } = this
    const wholeRows = span === 'rows' || span === 'all'
    const wholeColumns = span === 'columns' || span === 'all'
    return {
      top: wholeColumns ? 0 : Math.min(anchor.row, head.row),
      bottom: wholeColumns ? total : Math.min(Math.max(anchor.row, head.row) + 1, total),
      left: wholeRows ? 0 : Math.min(anchor.column, head.column),
      right: wholeRows ? columns.length : Math.min(Math.max(anchor.column, head.column) + 1, columns.length),
    }
  }

  /** Whether only the active range is selected. */
  get isSimple(): boolean {
    return this.#base.size === 0 && !this.removes
  }

  get isSingle(): boolean {
    const { top, bottom, left, right } = this.rect
    return this.isSimple && bottom - top === 1 && right - left === 1
  }

  contains(row: number, column: number): boolean {
    const { top, bottom, left, right } = this.rect
    if (row >= top && row < bottom && column >= left && column < right) return !this.removes
    if (this.#base.size === 0) return false
    return this.#base.get(this.#extent.columns[column] ?? '')?.contains(row) ?? false
  }

  /** Returns the selected rows of every column that has some. */
  cells(): Map<string, Intervals> {
    const cells = new Map(this.#base)
    this.#apply(cells)
    return cells
  }

  /** Returns groups of columns that have the same rows selected, in the order of the columns. */
  groups(): SelectionGroup[] {
    const cells = this.cells()
    const groups: { rows: Intervals; columns: string[] }[] = []
    for (const column of this.#extent.columns) {
      const rows = cells.get(column)
      if (rows === undefined) continue
      const same = groups.find((group) => group.rows.equals(rows))
      if (same === undefined) groups.push({ rows, columns: [column] })
      else same.columns.push(column)
    }
    return groups
  }

  /** Returns every row with a selected cell. */
  rows(): Intervals {
    return this.groups().reduce((sum, { rows }) => sum.union(rows), Intervals.EMPTY)
  }

  get size(): number {
    return this.groups().reduce((sum, { rows, columns }) => sum + rows.size * columns.length, 0)
  }

  /** Converts rows for a request to the core. */
  static wire(rows: Intervals): Interval[] {
    return rows.pairs
  }

  /** Returns whether everything is selected that a new range at `spot` would start with. */
  #isFullySelected({ row, column }: CellPosition, span: SelectionSpan): boolean {
    const { total, columns } = this.#extent
    if (span === 'cells') return this.contains(row, column)
    if (span === 'rows') return columns.length > 0 && columns.every((_, at) => this.contains(row, at))
    const rows = this.cells().get(columns[column] ?? '')
    return total > 0 && rows?.equals(Intervals.range(0, total)) === true
  }

  #commitRange(): void {
    this.#apply(this.#base)
    this.removes = false
  }

  #apply(cells: Map<string, Intervals>): void {
    const { top, bottom, left, right } = this.rect
    const rows = Intervals.range(top, bottom)
    // Columns mostly share their rows, so compute each distinct set once.
    const done = new Map<Intervals, Intervals>()
    for (const column of this.#extent.columns.slice(left, right)) {
      const before = cells.get(column) ?? Intervals.EMPTY
      const after = done.get(before) ?? (this.removes ? before.subtract(rows) : before.union(rows))
      done.set(before, after)
      if (after.isEmpty) cells.delete(column)
      else cells.set(column, after)
    }
  }

  #clamp({ row, column }: CellPosition): CellPosition {
    const { total, columns } = this.#extent
    return {
      row: Math.max(0, Math.min(row, total - 1)),
      column: Math.max(0, Math.min(column, columns.length - 1)),
    }
  }
}
