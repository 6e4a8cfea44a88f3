// The headings: titles, sort marks, menus, resize handles, and moving a column by dragging.
import { moveColumns, resizeColumn, nextSortKeys } from '../engine/columns'
import { Drift } from './drift'
import { findColumn, columnStart, createElement, type GridFrame } from './frame'
import { followPointer } from './follow-pointer'

const MOVE_FROM = 6

export class Header {
  readonly #frame: GridFrame
  readonly #row: HTMLElement
  readonly #fit: (column: number) => number
  #columns: unknown
  #sort: unknown
  #x = Number.NaN
  #lead = 0
  #restElement: HTMLElement | undefined
  #cells: HTMLElement[] = []
  #states: string[] = []
  readonly #dropMark: HTMLElement

  constructor(frame: GridFrame, fit: (column: number) => number) {
    this.#frame = frame
    this.#fit = fit
    const group = createElement(frame.grid, 'head', 'rowgroup')
    frame.grid.prepend(group)
    this.#row = createElement(group, 'line', 'row')
    this.#row.setAttribute('aria-rowindex', '1')
    this.#dropMark = createElement(frame.layer, 'drop-mark')
    this.#dropMark.hidden = true
    group.addEventListener('pointerdown', (event) => this.#handlePress(event))
    group.addEventListener('dblclick', (event) => this.#fitColumn(event))
    group.addEventListener('contextmenu', (event) => {
      const column = this.#columnOf(event)
      if (column === undefined) return
      event.preventDefault()
      frame.engine.hooks.columnMenu(frame.engine.columns.ids[column] ?? '')
    })
  }

  /** Returns the heading of a column, to which a menu attaches. */
  element(column: number): HTMLElement | undefined {
    return this.#cells[column]
  }

  paint(): void {
    const { engine, rtl, lead } = this.#frame
    if (this.#columns !== engine.columns || this.#sort !== engine.sort || this.#lead !== lead) this.#build()
    if (this.#x !== engine.x && this.#restElement !== undefined) {
      this.#x = engine.x
      this.#restElement.style.transform = engine.x === 0 ? '' : `translateX(${rtl ? engine.x : -engine.x}px)`
    }
    const { left, right } = engine.selection.rect
    const isWhole = this.#isHeld
    for (let column = 0; column < this.#cells.length; column += 1) {
      const isIn = column >= left && column < right
      const place = column === engine.focus.column ? 'cell here' : isIn ? 'cell in' : 'cell'
      const state = isIn && isWhole ? `${place} held` : place
      if (this.#states[column] === state) continue
      this.#states[column] = state
      const cell = this.#cells[column]
      if (cell !== undefined) cell.className = state
    }
  }

  #build(): void {
    const { engine, lead, texts } = this.#frame
    const { columns, sort } = engine
    this.#columns = columns
    this.#sort = sort
    this.#lead = lead
    this.#x = Number.NaN
    this.#row.replaceChildren()
    const lock = createElement(this.#row, 'lock', 'presentation')
    const rest = createElement(this.#row, 'rest', 'presentation')
    lock.style.inlineSize = `${lead + columns.frozenWidth}px`
    rest.style.insetInlineStart = `${lead + columns.frozenWidth}px`
    rest.style.inlineSize = `${columns.restWidth}px`
    this.#restElement = rest
    const corner = createElement(lock, 'cell lead', 'columnheader')
    corner.setAttribute('aria-colindex', '1')
    corner.style.inlineSize = `${lead}px`
    corner.textContent = texts.numbers()
    // WebKitGTK does not take the name of a heading from its content.
    corner.setAttribute('aria-label', texts.numbers())
    this.#states = []
    this.#cells = columns.shown.map((column, place) => {
      const isFrozen = place < columns.frozen
      const cell = createElement(isFrozen ? lock : rest, 'cell', 'columnheader')
      cell.dataset['column'] = String(place)
      cell.setAttribute('aria-colindex', String(place + 2))
      cell.setAttribute('aria-label', column.title)
      cell.style.insetInlineStart = `${(columns.starts[place] ?? 0) + (isFrozen ? lead : 0)}px`
      cell.style.inlineSize = `${columns.widths[place] ?? 0}px`
      const title = document.createElement('span')
      title.className = 'title'
      title.textContent = column.title
      title.title = column.title
      cell.append(title)
      const key = sort.findIndex(({ field }) => field === column.id)
      const order = sort[key]?.order
      // Only one heading may announce the sorting, so only the first key does.
      cell.setAttribute('aria-sort', key === 0 && order !== undefined ? order : 'none')
      if (order !== undefined) {
        const mark = createButton('sort', texts.turnSort(column.title))
        mark.textContent = `${order === 'ascending' ? '▲' : '▼'}${sort.length > 1 ? key + 1 : ''}`
        cell.append(mark)
      }
      const menu = createButton('more', texts.columnMenu(column.title))
      menu.textContent = '⋮'
      cell.append(menu)
      createElement(cell, 'grip').setAttribute('aria-hidden', 'true')
      return cell
    })
  }

  #columnOf(event: Event): number | undefined {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-column]') : null
    return cell === null ? undefined : Number(cell.dataset['column'])
  }

  #handlePress(event: PointerEvent): void {
    const { engine, grid } = this.#frame
    if (event.button !== 0 || !(event.target instanceof Element)) return
    const column = this.#columnOf(event)
    // The focus stays on the grid, whatever the user presses here.
    event.preventDefault()
    grid.focus({ preventScroll: true })
    if (column === undefined) {
      engine.choose({ row: engine.focus.row, column: engine.focus.column }, 'only', 'all')
      return
    }
    const id = engine.columns.ids[column] ?? ''
    if (event.target.closest('.grip') !== null) this.#resize(event, column, id)
    else if (event.target.closest('.more') !== null) engine.hooks.columnMenu(id)
    else if (event.target.closest('.sort') !== null) {
      const key = engine.sort.find(({ field }) => field === id)
      const order = key?.order === 'ascending' ? 'descending' : 'ascending'
      engine.hooks.sort(
        engine.sort.length > 1
          ? engine.sort.map((each) => (each.field === id ? { ...each, order } : each))
          : nextSortKeys([], id, order),
      )
    } else {
      const how = event.shiftKey ? 'extend' : event.ctrlKey || event.metaKey ? 'add' : 'only'
      const { left, right } = engine.selection.rect
      if (how === 'only' && this.#isHeld && column >= left && column < right)
        this.#moveSelected(event, column)
      else {
        this.#choose(column, how)
        this.#sweepColumns(event)
      }
    }
  }

  /** Whether the pointer drags the selected columns. Dragging over other columns selects them. */
  get #isHeld(): boolean {
    const { selection } = this.#frame.engine
    return selection.span === 'columns' && selection.isSimple
  }

  #choose(column: number, how: 'only' | 'extend' | 'add'): void {
    const { engine } = this.#frame
    engine.choose({ row: engine.scroll.first, column }, how, 'columns')
  }

  #columnUnder({ x }: { x: number }): number {
    const box = this.#row.getBoundingClientRect()
    return findColumn(this.#frame, this.#frame.rtl ? box.right - x : x - box.left)
  }

  /** Selects the columns over which the user drags. */
  #sweepColumns(event: PointerEvent): void {
    let at = { x: event.clientX, y: event.clientY }
    const extend = (): void => this.#choose(this.#columnUnder(at), 'extend')
    const drift = new Drift(this.#frame, extend)
    this.#follow(
      event,
      (now) => {
        if (Math.abs(now.clientX - event.clientX) < MOVE_FROM && at.x === event.clientX) return
        at = { x: now.clientX, y: now.clientY }
        extend()
        drift.follow(at, { down: false })
      },
      () => drift.stop(),
    )
  }

  #fitColumn(event: MouseEvent): void {
    const column = this.#columnOf(event)
    if (column === undefined || !(event.target instanceof Element)) return
    if (event.target.closest('.grip') === null) return
    const { engine, scale } = this.#frame
    const id = engine.columns.ids[column] ?? ''
    engine.hooks.layout(resizeColumn(engine.layout, id, this.#fit(column) / scale))
  }

  #resize(event: PointerEvent, column: number, id: string): void {
    const { engine, scale } = this.#frame
    const width = engine.columns.widths[column] ?? 0
    const start = event.clientX
    this.#follow(
      event,
      (now) => {
        const way = this.#frame.rtl ? start - now.clientX : now.clientX - start
        if (way !== 0) engine.hooks.layout(resizeColumn(engine.layout, id, (width + way) / scale))
      },
      () => undefined,
    )
  }

  /** Moves the selected columns. A press without a move selects the one column. */
  #moveSelected(event: PointerEvent, column: number): void {
    const { engine } = this.#frame
    const { left, right } = engine.selection.rect
    const ids = engine.columns.ids.slice(left, right)
    let at = { x: event.clientX, y: event.clientY }
    let to = column
    const aim = (): void => {
      to = this.#columnUnder(at)
      const isInside = to >= left && to < right
      const edge = columnStart(this.#frame, to) + (to >= right ? (engine.columns.widths[to] ?? 0) : 0)
      this.#dropMark.hidden = isInside
      this.#dropMark.style.insetInlineStart = `${edge}px`
    }
    const drift = new Drift(this.#frame, aim)
    let hasMoved = false
    this.#follow(
      event,
      (now) => {
        hasMoved ||= Math.abs(now.clientX - event.clientX) >= MOVE_FROM
        if (!hasMoved) return
        at = { x: now.clientX, y: now.clientY }
        aim()
        drift.follow(at, { down: false })
      },
      (isDone) => {
        drift.stop()
        this.#dropMark.hidden = true
        if (!hasMoved) this.#choose(column, 'only')
        else if (isDone && (to < left || to >= right)) {
          engine.hooks.layout(moveColumns(engine.allColumns, engine.layout, ids, to))
          this.#chooseAgain(ids)
        }
      },
    )
  }

  /** Selects the same columns again at their new positions. */
  #chooseAgain(ids: readonly string[]): void {
    const places = ids.map((id) => this.#frame.engine.columns.findIndex(id))
    this.#choose(Math.min(...places), 'only')
    this.#choose(Math.max(...places), 'extend')
  }

  /** Follows the pointer on the grid's host, because the heading itself may be replaced during the drag. */
  #follow(event: PointerEvent, move: (event: PointerEvent) => void, end: (isDone: boolean) => void): void {
    followPointer(this.#frame.host, event, move, (last) => end(last !== undefined))
  }
}

/** Creates a button for the pointer. Keys do the same elsewhere, so it is not a tab stop. */
function createButton(className: string, label: string): HTMLElement {
  const element = document.createElement('span')
  element.className = className
  element.title = label
  element.setAttribute('aria-hidden', 'true')
  return element
}
