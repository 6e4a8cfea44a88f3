// The columns of a table, and how the user arranged them.
import type { Snippet } from 'svelte'

export interface Column<Row> {
  id: string
  title: string
  /** In pixels at 100 %; columns without a width share the remaining space. */
  width?: number
  /** The width if the columns still do not fit once the spare ones are hidden. The title then takes two lines. */
  narrow?: number
  align?: 'start' | 'end'
  /** A click on the heading sorts by `id`. */
  sortable?: boolean
  /** The order after the first click. */
  first?: SortDirection
  /** Names the row; one column should. */
  head?: boolean
  /** Hidden until the user shows it. */
  hidden?: boolean
  /** Hidden if the table is too narrow for all columns, the lowest number first, unless the user shows it. */
  spare?: number
  /** Always in view. */
  fixed?: boolean
  /** Returns the text to show; it is also what is copied. */
  text?: (row: Row) => string
  /** Renders more than text. */
  cell?: Snippet<[Row]>
}

export type SortDirection = 'ascending' | 'descending'

export interface TableSort {
  column: string
  order: SortDirection
}

/** How the user arranged a table; stored between runs. */
export interface TableLayout {
  readonly widths: Readonly<Record<string, number>>
  /** Shown or hidden by the user; all others follow their definition. */
  readonly shown: Readonly<Record<string, boolean>>
  readonly [key: string]: Readonly<Record<string, number | boolean>>
}

export const DEFAULT_LAYOUT: TableLayout = { widths: {}, shown: {} }
export const MIN_WIDTH = 56

export function visibleColumns<Row>(
  columns: readonly Column<Row>[],
  layout: TableLayout,
): readonly Column<Row>[] {
  return columns.filter(
    (column) =>
      column.fixed === true || column.head === true || (layout.shown[column.id] ?? column.hidden !== true),
  )
}

export function nextSort<Row>(sort: TableSort | undefined, column: Column<Row>): TableSort {
  const first = column.first ?? 'ascending'
  if (sort?.column !== column.id) return { column: column.id, order: first }
  return { column: column.id, order: sort.order === 'ascending' ? 'descending' : 'ascending' }
}

/** The minimum width of a column without a width; the one that names the row shrinks last. */
const LEAST_SHARE = 140
const LEAST_HEAD = { share: 220, width: 170 }

export function getWidth<Row>({ id, width, head }: Column<Row>, { widths }: TableLayout): number | undefined {
  return widths[id] ?? (head === true && width !== undefined ? Math.max(width, LEAST_HEAD.width) : width)
}

export function getMinWidth<Row>(column: Column<Row>, layout: TableLayout): number {
  return getWidth(column, layout) ?? (column.head === true ? LEAST_HEAD.share : LEAST_SHARE)
}

/** Returns the columns with those hidden for which there is no room, but never one that the user has shown. If that is
 *  not enough, columns that can be narrow are. */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  layout: TableLayout,
  room: number,
): readonly Column<Row>[] {
  const shown = visibleColumns(columns, layout)
  let over = shown.reduce((sum, column) => sum + getMinWidth(column, layout), 0) - room
  const spare = shown
    .filter(({ id, spare: rank }) => rank !== undefined && layout.shown[id] !== true)
    .toSorted((one, other) => (one.spare ?? 0) - (other.spare ?? 0))
  const given = new Set<string>()
  for (const column of spare) {
    if (over <= 0) break
    over -= getMinWidth(column, layout)
    given.add(column.id)
  }
  const fit = (column: Column<Row>): Column<Row> => {
    if (given.has(column.id)) return { ...column, hidden: true }
    return over > 0 && column.narrow !== undefined ? { ...column, width: column.narrow } : column
  }
  return given.size === 0 && over <= 0 ? columns : columns.map(fit)
}
