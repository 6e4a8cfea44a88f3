// The grid without a page: what is shown where, what is selected, and what each key does.
import { BLOCK, Blocks } from './blocks'
import {
  Columns,
  moveColumn,
  nextSortKeys,
  type GridColumn,
  type GridLayout,
  PLAIN_LAYOUT,
  type SortKey,
} from './columns'
import { stepFrom } from './focus'
import type { Intervals } from './intervals'
import type { KeyAct, Direction } from './keys'
import { Scroll } from './scroll'
import { Selection, type CellPosition } from './selection'
import type { GridSource, GridView, EngineHooks } from './source'
import { Walk } from './walk'
import { Writing } from './writing'

/** Acts on the focused cell that do not move the focus. */
const STAYS: ReadonlySet<KeyAct['act']> = new Set<KeyAct['act']>(['type', 'edit', 'clear', 'revert'])

/** Measures of the page, in pixels. */
export interface Measures {
  readonly rowHeight: number
  readonly height: number
  /** The width available to columns, frozen and scrolling together. */
  readonly width: number
  readonly scale: number
}

/** The state of a grid and what acts do to it. It draws nothing, and calls `hooks` when something changed. */
export class Engine {
  readonly scroll = new Scroll()
  readonly selection = new Selection()
  readonly blocks: Blocks
  readonly hooks: EngineHooks
  readonly writing: Writing
  readonly #walk: Walk
  source: GridSource
  allColumns: readonly GridColumn[] = []
  layout: GridLayout = PLAIN_LAYOUT
  columns = new Columns([], PLAIN_LAYOUT)
  sort: readonly SortKey[] = []
  view: GridView = { generation: -1, total: 0, isExact: true }
  /** The focused cell. */
  focus: CellPosition = { row: 0, column: 0 }
  /** How far the scrolling columns are scrolled from their start. */
  x = 0
  /** Rows whose records have unsaved text. */
  unsaved: ReadonlySet<number> = new Set()
  #measures: Measures = { rowHeight: 32, height: 0, width: 0, scale: 1 }
  #direction = 0

  constructor(source: GridSource, hooks: EngineHooks) {
    this.source = source
    this.hooks = hooks
    this.blocks = new Blocks(
      (ask, signal) => this.source.window(ask, signal),
      () => hooks.changed(),
      (error) => hooks.failed(error),
    )
    this.writing = new Writing(this)
    this.#walk = new Walk(this)
  }

  get total(): number {
    return this.view.total
  }

  /** The room that the frozen columns leave. */
  get scrollingWidth(): number {
    return Math.max(0, this.#measures.width - this.columns.frozenWidth)
  }

  get maxX(): number {
    return Math.max(0, this.columns.restWidth - this.scrollingWidth)
  }

  /** Shows the rows of a view, which may be another generation of the same list. */
  show(view: GridView): void {
    const isOther = view.generation !== this.view.generation || view.total !== this.view.total
    this.view = view
    if (isOther) this.#fitToSize()
    this.hooks.changed()
  }

  /** Shows these columns in this layout. The focus stays in its column. */
  arrange(columns: readonly GridColumn[], layout: GridLayout): void {
    const focused = this.columns.ids[this.focus.column]
    this.allColumns = columns
    this.layout = layout
    this.#rebuildColumns()
    const place = focused === undefined ? -1 : this.columns.findIndex(focused)
    if (place === -1 || place === this.focus.column) return
    this.#walk.leave()
    this.land({ row: this.focus.row, column: place })
  }

  setSort(sort: readonly SortKey[]): void {
    this.sort = sort
    this.hooks.changed()
  }

  markUnsaved(rows: ReadonlySet<number>): void {
    this.unsaved = rows
    this.hooks.changed()
  }

  measure(measures: Measures): void {
    this.#measures = measures
    this.#rebuildColumns()
  }

  /** Requests the rows in view; called once a frame. */
  fetch(): void {
    this.blocks.need(
      this.scroll.first,
      Math.min(this.total, this.scroll.first + this.scroll.slots),
      this.#direction,
    )
  }

  // Scrolling

  scrollTo(first: number): void {
    const from = this.scroll.first
    if (this.scroll.to(first)) this.#handleScroll(from)
  }

  /** Scrolls to where the thumb of the scrollbar was dragged. */
  dragThumbTo(position: number): void {
    const from = this.scroll.first
    if (this.scroll.dragThumbTo(position)) this.#handleScroll(from)
  }

  /** Returns whether anything moved; if not, the page around the grid may scroll instead. */
  scrollBy(x: number, y: number): boolean {
    const from = this.scroll.first
    const moves = y !== 0 && this.scroll.scrollByPixels(y)
    if (moves) this.#handleScroll(from)
    return this.scrollX(this.x + x) || moves
  }

  scrollX(x: number): boolean {
    const next = Math.max(0, Math.min(Math.round(x), this.maxX))
    if (next === this.x) return false
    this.x = next
    this.hooks.changed()
    return true
  }

  /** Scrolls as little as needed to bring a cell into view. */
  reveal({ row, column }: CellPosition): void {
    const from = this.scroll.first
    if (this.scroll.reveal(row)) this.#handleScroll(from)
    const { starts, widths, frozen } = this.columns
    if (column < frozen) return
    const start = starts[column] ?? 0
    const end = start + (widths[column] ?? 0)
    if (start < this.x) this.scrollX(start)
    else if (end > this.x + this.scrollingWidth) this.scrollX(Math.min(start, end - this.scrollingWidth))
  }

  // Selecting, by pointer or from outside

  /** Selects a cell alone, extends the selection to it, or adds it to the selection. */
  choose(spot: CellPosition, how: 'only' | 'extend' | 'add', span: Selection['span'] = 'cells'): void {
    this.#walk.leave()
    const { selection } = this
    if (how === 'extend') {
      this.#walk.anchor()
      selection.extend(spot, span)
    } else if (how === 'add') selection.add(spot, span)
    else selection.only(spot, span)
    if (how !== 'extend') this.focus = selection.anchor
    this.announceSelection(span === 'cells' && how === 'only')
  }

  chooseRows(rows: Intervals): void {
    this.selection.rowsOnly(rows)
    this.focus = this.selection.anchor
    this.reveal(this.focus)
    this.announceSelection(false)
  }

  /** Moves the focus to a row, and to a column if one is named. */
  go(row: number, column?: string): void {
    const place = column === undefined ? this.focus.column : this.columns.findIndex(column)
    this.#walk.leave()
    this.land({ row, column: place === -1 ? this.focus.column : place })
  }

  // Keys

  /** Performs an act and returns whether the grid handles it. */
  act(act: KeyAct): boolean {
    const walk = this.#walk
    if (walk.waiting !== undefined && act.act !== 'type' && act.act !== 'cancel') {
      this.runAfterSelection(() => this.act(act))
      return true
    }
    if (act.act === 'next') return walk.next(act.along, act.back)
    if (STAYS.has(act.act)) walk.forgetAnswers()
    else walk.leave()
    switch (act.act) {
      case 'step':
      case 'page':
      case 'bound':
      case 'edge':
        walk.go(act)
        return true
      case 'column-move':
        this.#moveColumn(act.by)
        return true
      case 'sort':
        this.#sortBy(act.order)
        return true
      default:
        return this.#performPlain(act.act)
    }
  }

  get isWaiting(): boolean {
    return this.#walk.waiting !== undefined
  }

  /** Runs `does` once the selection that earlier key presses requested is made; at once if none is pending. */
  runAfterSelection(does: () => void): void {
    const { waiting } = this.#walk
    if (waiting === undefined) does()
    else void waiting.then(does, does)
  }

  step(to: Direction): void {
    this.#walk.leave()
    this.land(stepFrom(this.focus, to))
  }

  next(along: 'row' | 'column', back: boolean): boolean {
    return this.#walk.next(along, back)
  }

  /** Widens the range to whole rows or columns. If everything is selected, starts again at the focus, because the corners
   *  of the range may be elsewhere. */
  #selectWhole(span: 'rows' | 'columns', other: 'rows' | 'columns'): void {
    const { selection } = this
    if (selection.span === 'all') selection.only(this.focus, span)
    else selection.extend(selection.head, selection.span === other ? 'all' : span)
    this.announceSelection(false)
  }

  #performPlain(act: Extract<KeyAct, { act: string }>['act']): boolean {
    const { hooks, writing, focus } = this
    const column = this.columns.ids[focus.column] ?? ''
    switch (act) {
      case 'select-all':
        this.#walk.selectAll()
        return true
      case 'select-rows':
        this.#selectWhole('rows', 'columns')
        return true
      case 'select-columns':
        this.#selectWhole('columns', 'rows')
        return true
      case 'type':
      case 'edit':
        return writing.begin(act === 'type')
      case 'clear':
        void writing.act('clear', { clear: true })
        return true
      case 'revert':
        void writing.act('revert', { revert: true })
        return true
      case 'fill-down':
      case 'fill-right':
        void writing.fill(act === 'fill-down' ? 'down' : 'right')
        return true
      case 'copy-headings':
        void writing.copy(true)
        return true
      case 'paste-special':
        // The paste follows as an event; remember that it is a special one.
        writing.isSpecial = true
        return false
      case 'cancel':
        if (this.selection.isSingle) return false
        this.land(focus)
        return true
      case 'delete-rows':
        return hooks.remove(this.selection.rows())
      case 'add-row':
        return hooks.add()
      case 'open':
        return hooks.open(focus.row)
      case 'menu':
        hooks.menu()
        return true
      case 'column-menu':
        hooks.columnMenu(column)
        return true
      case 'filter-to-value':
        return hooks.filterTo(column, this.blocks.text(focus.row, focus.column) ?? '')
      default:
        return false
    }
  }

  #moveColumn(by: 1 | -1): void {
    const id = this.columns.ids[this.focus.column]
    if (id === undefined) return
    const layout = moveColumn(this.allColumns, this.layout, id, this.focus.column + by)
    if (layout !== this.layout) this.hooks.layout(layout)
  }

  #sortBy(order: 'ascending' | 'descending'): void {
    const column = this.columns.shown[this.focus.column]
    if (column !== undefined && column.isSortable !== false)
      this.hooks.sort(nextSortKeys([], column.id, order))
  }

  // Consistency

  /** Moves the focus to a cell, or extends the selection to it. */
  move(spot: CellPosition, extending: boolean): void {
    if (!extending) {
      this.land(spot)
      return
    }
    this.selection.extend(spot)
    this.reveal(this.selection.head)
    this.announceSelection(false)
  }

  /** Selects one cell and moves the focus to it. */
  land(spot: CellPosition): void {
    this.selection.only(spot)
    this.focus = this.selection.anchor
    this.reveal(this.focus)
    this.announceSelection(true)
  }

  /** Announces the focused cell after a move, otherwise the size of the selection. */
  announceSelection(isMove: boolean): void {
    const { hooks, selection } = this
    hooks.selectionChanged()
    hooks.announce(
      isMove ? { kind: 'moved' } : { kind: 'chosen', rows: selection.rows().size, cells: selection.size },
    )
    hooks.changed()
  }

  #handleScroll(from: number): void {
    const way = this.scroll.first - from
    // After a jump the direction of scrolling is unknown.
    this.#direction = Math.abs(way) > BLOCK ? 0 : Math.sign(way)
    this.hooks.changed()
  }

  #rebuildColumns(): void {
    const { scale, width } = this.#measures
    this.columns = new Columns(this.allColumns, this.layout, scale, width === 0 ? Infinity : width)
    this.#fitToSize()
  }

  #fitToSize(): void {
    const { rowHeight, height } = this.#measures
    const { generation, total } = this.view
    this.scroll.fit(total, rowHeight, height)
    this.blocks.fit(generation, total, this.columns.ids)
    this.selection.fit({ total, columns: this.columns.ids })
    const column = Math.max(0, Math.min(this.focus.column, this.columns.ids.length - 1))
    this.focus = { row: Math.max(0, Math.min(this.focus.row, total - 1)), column }
    this.x = Math.max(0, Math.min(this.x, this.maxX))
    this.hooks.changed()
  }
}
