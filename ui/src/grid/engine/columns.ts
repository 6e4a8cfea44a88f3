// Which columns are shown, in which order and width, and which are frozen; and how the user changes that.

export interface GridColumn {
  readonly id: string
  readonly title: string
  /** In pixels at 100 %. */
  readonly width?: number
  readonly align?: 'start' | 'end'
  readonly isReadOnly?: boolean
  readonly isSortable?: boolean
  /** Formats the text of a cell for display, such as a time. */
  readonly show?: (text: string) => string
  /** Hidden until the user shows it. */
  readonly isHidden?: boolean
}

export type ColumnSortOrder = 'ascending' | 'descending'

export interface SortKey {
  readonly field: string
  readonly order: ColumnSortOrder
}

/** How the user arranged the columns; plain JSON, stored between runs. */
export type GridLayout = {
  /** Columns that are not listed follow in their own order. */
  readonly order: readonly string[]
  readonly widths: Readonly<Record<string, number>>
  readonly shown: Readonly<Record<string, boolean>>
  readonly frozen: readonly string[]
}

export const PLAIN_LAYOUT: GridLayout = { order: [], widths: {}, shown: {}, frozen: [] }
export const LEAST_WIDTH = 48
export const MOST_WIDTH = 800
const USUAL_WIDTH = 140
/** The share of the width that frozen columns must leave for the others. */
const LEAST_REST = 0.4

/** The columns as they are laid out on the screen. */
export class Columns {
  readonly shown: readonly GridColumn[]
  readonly ids: readonly string[]
  readonly frozen: number
  /** In screen pixels, each from the start of its own part (frozen or scrolling). */
  readonly starts: readonly number[]
  readonly widths: readonly number[]
  readonly frozenWidth: number
  readonly restWidth: number
  readonly #places: ReadonlyMap<string, number>

  constructor(given: readonly GridColumn[], layout: GridLayout, scale = 1, room = Infinity) {
    const ordered = arrangeColumns(given, layout).filter((column) => isShown(column, layout))
    const isFrozen = ({ id }: GridColumn): boolean => layout.frozen.includes(id)
    this.shown = [...ordered.filter(isFrozen), ...ordered.filter((column) => !isFrozen(column))]
    this.ids = this.shown.map(({ id }) => id)
    this.widths = this.shown.map((column) => Math.round(widthOf(column, layout) * scale))
    this.#places = new Map(this.ids.map((id, at) => [id, at]))
    let frozen = 0
    let sum = 0
    for (const width of this.widths.slice(0, ordered.filter(isFrozen).length)) {
      if (sum + width > room * (1 - LEAST_REST)) break
      sum += width
      frozen += 1
    }
    this.frozen = frozen
    this.frozenWidth = sum
    const starts: number[] = []
    let at = 0
    this.widths.forEach((width, place) => {
      if (place === frozen) at = 0
      starts.push(at)
      at += width
    })
    this.starts = starts
    this.restWidth = frozen === this.widths.length ? 0 : at
  }

  findIndex(id: string): number {
    return this.#places.get(id) ?? -1
  }

  /** Returns the column at `x` of the scrolling part, or the nearest one. */
  restAt(x: number): number {
    return this.#searchColumn(x, this.frozen, this.shown.length)
  }

  frozenAt(x: number): number {
    return this.#searchColumn(x, 0, this.frozen)
  }

  #searchColumn(x: number, from: number, to: number): number {
    let low = from
    let high = Math.max(from, to - 1)
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.starts[middle] ?? 0) <= x) low = middle
      else high = middle - 1
    }
    return low
  }
}

export function isShown(column: GridColumn, layout: GridLayout): boolean {
  return layout.shown[column.id] ?? column.isHidden !== true
}

export function widthOf(column: GridColumn, layout: GridLayout): number {
  return layout.widths[column.id] ?? column.width ?? USUAL_WIDTH
}

/** Returns all columns, shown or hidden, in the user's order. */
export function arrangeColumns(given: readonly GridColumn[], layout: GridLayout): GridColumn[] {
  const byId = new Map(given.map((column) => [column.id, column]))
  const named = new Set<GridColumn>()
  for (const id of layout.order) {
    const column = byId.get(id)
    if (column !== undefined) named.add(column)
  }
  // Insert a column that is new since the layout was stored after the column that it follows by default.
  const all = [...named]
  given.forEach((column, at) => {
    if (named.has(column)) return
    const before = at === 0 ? -1 : all.indexOf(given[at - 1] as GridColumn)
    all.splice(layout.order.length === 0 ? all.length : before + 1, 0, column)
  })
  return all
}

export function resizeColumn(layout: GridLayout, id: string, width: number): GridLayout {
  const kept = Math.round(Math.max(LEAST_WIDTH, Math.min(width, MOST_WIDTH)))
  return { ...layout, widths: { ...layout.widths, [id]: kept } }
}

export function withShown(layout: GridLayout, id: string, shown: boolean): GridLayout {
  return { ...layout, shown: { ...layout.shown, [id]: shown } }
}

/** Moves a shown column to another position among the shown ones. Across the edge of the frozen part it is frozen or
 *  unfrozen. */
export function moveColumn(
  given: readonly GridColumn[],
  layout: GridLayout,
  id: string,
  place: number,
): GridLayout {
  const { shown, ids } = new Columns(given, layout)
  const from = ids.indexOf(id)
  const to = Math.max(0, Math.min(place, ids.length - 1))
  if (from === -1 || from === to) return layout
  const target = ids[to] ?? id
  const order = [...shown, ...arrangeColumns(given, layout).filter((column) => !isShown(column, layout))]
    .map((column) => column.id)
    .filter((each) => each !== id)
  order.splice(order.indexOf(target) + (to > from ? 1 : 0), 0, id)
  const rest = layout.frozen.filter((each) => each !== id)
  return { ...layout, order, frozen: layout.frozen.includes(target) ? [...rest, id] : rest }
}

/** Moves several neighbouring columns together; the target is the position of another column. */
export function moveColumns(
  given: readonly GridColumn[],
  layout: GridLayout,
  ids: readonly string[],
  place: number,
): GridLayout {
  const places = ids.map((id) => new Columns(given, layout).findIndex(id))
  const isOnward = places.every((from) => from < place)
  const inTurn = isOnward ? ids : ids.toReversed()
  return inTurn.reduce((changed, id) => moveColumn(given, changed, id, place), layout)
}

/** Freezes a column and all before it; without an ID, unfreezes all. */
export function freezeUpTo(given: readonly GridColumn[], layout: GridLayout, id?: string): GridLayout {
  const { ids } = new Columns(given, layout)
  return { ...layout, frozen: id === undefined ? [] : ids.slice(0, ids.indexOf(id) + 1) }
}

/** Returns the sort keys after the user asks to sort by a column: alone, or as the last of several. */
export function nextSortKeys(
  sort: readonly SortKey[],
  field: string,
  order: ColumnSortOrder,
  adds = false,
): readonly SortKey[] {
  const others = adds ? sort.filter((key) => key.field !== field) : []
  return [...others, { field, order }]
}
