// The rows on the screen: a fixed set of elements whose texts change. No element moves when the rows are scrolled.
import { language } from '../../lib/locale.svelte'
import { visibleLines } from '../../lib/text'
import { CELL, ROW } from '../engine/bytes'
import { createElement, type GridFrame } from './frame'
import { stateMarks, STATES, stateTexts } from './states'

const CHOSEN = 1
const FOCUSED = 2
const DRAFT = 4
const END = 8
const CHANGED = 16
const CONFLICT = 32
/** The class of a cell for each combination of the states above, so that scrolling builds no strings. */
const CLASSES = Array.from({ length: 64 }, (_, state) =>
  [
    'cell',
    state & CHOSEN ? 'chosen' : '',
    state & FOCUSED ? 'focused' : '',
    state & DRAFT ? 'draft' : '',
    state & END ? 'end' : '',
    state & CHANGED ? 'changed' : '',
    state & CONFLICT ? 'conflict' : '',
  ]
    .filter((name) => name !== '')
    .join(' '),
)
/** Cells outside the view are filled in once the rows are at rest, for assistive technology. */
const REST_MS = 300
/** A cell never shows more of a text than this. */
const MOST_SHOWN = 400

interface BodyLine {
  readonly element: HTMLElement
  readonly rest: HTMLElement
  readonly lead: HTMLElement
  readonly number: Text
  readonly marks: Text
  readonly cells: HTMLElement[]
  readonly texts: Text[]
  readonly shown: string[]
  readonly states: number[]
  row: number
  flags: number
  isChosen: boolean
}

export class Body {
  readonly #frame: GridFrame
  #lines: BodyLine[] = []
  #columns: unknown
  #height = 0
  #x = Number.NaN
  #first = -1
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The ID of the focused cell's element, if it is in view. */
  active = ''
  /** Whether a row in view is still loading. */
  isWaiting = false
  #described: HTMLElement | undefined
  #describedFlags = 0
  /** The cell under the pointer, whose title has the full text. */
  #hovered: HTMLElement | undefined
  #hoveredLead: HTMLElement | undefined
  /** The position of a resting pointer over the rows, in the viewport. */
  #pointer: { readonly x: number; readonly y: number } | undefined

  constructor(frame: GridFrame) {
    this.#frame = frame
    const point = (event: PointerEvent): void => {
      const isFree = event.buttons === 0 && event.pointerType !== 'touch'
      this.#pointer = isFree ? { x: event.clientX, y: event.clientY } : undefined
      this.hover(isFree ? cellOf(event.target) : undefined)
      this.#hoverLead(isFree ? leadOf(event.target) : undefined)
    }
    frame.body.addEventListener('pointermove', point)
    // The editor opened under a resting pointer and closed again.
    frame.body.addEventListener('pointerover', point)
    frame.body.addEventListener('pointerleave', () => {
      this.#pointer = undefined
      this.hover(undefined)
      this.#hoverLead(undefined)
    })
  }

  paint(): void {
    const { engine, rowHeight } = this.#frame
    this.#rebuild()
    const { columns, x, scrollingWidth } = engine
    if (x !== this.#x) this.#slideColumns(x)
    // The element under the pointer shows another row now.
    if (engine.scroll.first !== this.#first) {
      this.hover(undefined)
      this.#hoverLead(undefined)
    }
    this.#first = engine.scroll.first
    const from = columns.restAt(x)
    const to = columns.shown.length === 0 ? 0 : columns.restAt(x + scrollingWidth) + 1
    this.#rows(from, to)
    this.#height = rowHeight
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#rows(columns.frozen, columns.shown.length)
      this.#hoverAgain()
    }, REST_MS)
  }

  drop(): void {
    this.hover(undefined)
    clearTimeout(this.#timer)
  }

  /** Sets the title of the cell under the pointer: why a draft was refused, the value before a change, or the full
   *  text. */
  hover(cell: HTMLElement | undefined): void {
    if (cell === this.#hovered) return
    this.#hovered?.removeAttribute('title')
    this.#hovered = cell
    if (cell === undefined) return
    const { engine, texts } = this.#frame
    const slot = this.#lines.findIndex(({ cells }) => cells.includes(cell))
    const line = this.#lines[slot]
    const column = line?.cells.indexOf(cell) ?? -1
    if (line === undefined || line.row === -1) return
    const state = line.states[column] ?? 0
    if ((state & (DRAFT | CHANGED | CONFLICT)) !== 0) {
      cell.title =
        (state & DRAFT) !== 0 ? texts.draft() : (state & CONFLICT) !== 0 ? texts.conflict() : texts.changed()
      const reason = engine.source.explain?.(line.row, engine.columns.ids[column] ?? '')
      // If the reason cannot be read, the generic text remains.
      reason
        ?.then((why) => why !== undefined && cell === this.#hovered && (cell.title = why))
        .catch(() => undefined)
    } else if (cell.scrollWidth > cell.clientWidth || (line.shown[column] ?? '').includes('\n'))
      cell.title = line.shown[column] ?? ''
  }

  /** Sets the title of the head of a refused row: the fault of each of its cells. */
  #hoverLead(lead: HTMLElement | undefined): void {
    if (lead === this.#hoveredLead) return
    const before = this.#lines.find((one) => one.lead === this.#hoveredLead)
    if (before !== undefined) this.#flag(before, before.flags)
    this.#hoveredLead = lead
    const line = this.#lines.find((one) => one.lead === lead)
    if (line === undefined || line.row === -1 || (line.flags & ROW.draft) === 0) return
    const { engine, texts } = this.#frame
    const { row, flags } = line
    const requests = engine.columns.ids.flatMap((column, at) =>
      (engine.blocks.cellFlags(row, at) & CELL.draft) === 0 ? [] : [engine.source.explain?.(row, column)],
    )
    Promise.all(requests)
      .then((reasons) => {
        const known = reasons.filter((why) => why !== undefined)
        if (known.length === 0 || line.row !== row || lead !== this.#hoveredLead) return undefined
        return (line.lead.title = [...known, ...stateTexts(texts, flags & ~ROW.draft)].join('\n'))
      })
      // If the reason cannot be read, the generic text remains.
      .catch(() => undefined)
  }

  /** Updates the title under a resting pointer, where another cell may be now, or the same one after a refusal. */
  #hoverAgain(): void {
    if (this.#pointer === undefined) return
    const { x, y } = this.#pointer
    const under = document.elementFromPoint(x, y)
    this.hover(undefined)
    if (under !== null && this.#frame.body.contains(under)) this.hover(cellOf(under))
  }

  /** Returns the texts of a column in view, for fitting its width. */
  textsOf(column: number): string[] {
    return this.#lines.map((line) => line.shown[column] ?? '')
  }

  #rows(from: number, to: number): void {
    const { engine } = this.#frame
    const { first } = engine.scroll
    this.active = ''
    this.isWaiting = false
    for (let slot = 0; slot < this.#lines.length; slot += 1) {
      const line = this.#lines[slot]
      if (line !== undefined) this.#line(line, slot, first + slot, from, to)
    }
    if (this.active === '') this.#describe(undefined, 0)
  }

  #line(line: BodyLine, slot: number, row: number, from: number, to: number): void {
    const { engine, texts, id } = this.#frame
    const { blocks, columns, selection, focus } = engine
    if (row >= engine.total) {
      if (line.row !== -1) {
        line.element.hidden = true
        line.row = -1
      }
      return
    }
    const block = blocks.findBlock(row)
    const at = block === undefined ? 0 : row - block.window.from
    const isThere = block !== undefined && at < block.window.rows
    if (!isThere) this.isWaiting = true
    const own = isThere ? block.window.rowState(at) & STATES : 0
    const flags = engine.unsaved.has(row) ? own | ROW.unsaved : own
    const isOther = line.row !== row
    if (isOther) {
      if (line.row === -1) line.element.hidden = false
      line.row = row
      line.element.setAttribute('aria-rowindex', String(row + 2))
      line.number.data = texts.number(row)
    }
    if (line.flags !== flags) this.#flag(line, flags)
    const written = blocks.written(row)
    const focused = focus.row === row ? focus.column : -1
    let chosen = 0
    for (let column = 0; column < columns.shown.length; column += 1) {
      // Frozen columns first, then those in view.
      if (column === columns.frozen && column < from) column = from
      if (column >= to && column >= columns.frozen) break
      const place = isThere ? (block.places[column] ?? -1) : -1
      let text = place === -1 || block === undefined ? '' : block.window.text(at, place)
      if (written !== undefined) text = written.get(columns.ids[column] ?? '') ?? text
      const given = columns.shown[column]
      if (given?.show !== undefined && text !== '') text = given.show(text)
      if (line.shown[column] !== text) {
        line.shown[column] = text
        const node = line.texts[column]
        if (node !== undefined)
          node.data = visibleLines(text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) : text)
      }
      const isChosen = selection.contains(row, column)
      if (isChosen) chosen += 1
      let state = isChosen ? CHOSEN : 0
      if (column === focused) {
        state |= FOCUSED
        this.active = `${id}-${slot}-${column}`
        // The cell announces its own refusal, so leave it out.
        this.#describe(line.cells[column], flags & ~ROW.draft)
      }
      const cellFlags = place === -1 || block === undefined ? 0 : block.window.flags(at, place)
      if ((cellFlags & CELL.draft) !== 0) state |= DRAFT
      else if ((cellFlags & CELL.changed) !== 0 && (flags & ROW.gone) === 0)
        state |= (cellFlags & CELL.conflict) !== 0 ? CONFLICT : CHANGED
      if (given?.align === 'end') state |= END
      const before = line.states[column] ?? -1
      if (before !== state) {
        line.states[column] = state
        const cell = line.cells[column]
        if (cell !== undefined) this.#state(cell, state, before)
      }
    }
    if (line.isChosen !== chosen > 0) {
      line.isChosen = chosen > 0
      line.lead.className = line.isChosen ? 'cell lead chosen' : 'cell lead'
    }
  }

  /** Describes the row's states on the focused cell, because a screen reader does not repeat the head of the row. */
  #describe(cell: HTMLElement | undefined, flags: number): void {
    if (cell === this.#described && flags === this.#describedFlags) return
    if (cell !== this.#described) this.#described?.removeAttribute('aria-description')
    this.#described = cell
    this.#describedFlags = flags
    const words = stateTexts(this.#frame.texts, flags).join(language.comma)
    if (words === '') cell?.removeAttribute('aria-description')
    else cell?.setAttribute('aria-description', words)
  }

  #state(cell: HTMLElement, state: number, before: number): void {
    cell.className = CLASSES[state] ?? 'cell'
    if (before === -1 || ((state ^ before) & CHOSEN) !== 0)
      cell.setAttribute('aria-selected', state & CHOSEN ? 'true' : 'false')
    if ((state & DRAFT) !== 0) cell.setAttribute('aria-invalid', 'true')
    else if (before !== -1 && (before & DRAFT) !== 0) cell.removeAttribute('aria-invalid')
  }

  #flag(line: BodyLine, flags: number): void {
    line.flags = flags
    const { element, lead } = line
    element.classList.toggle('gone', (flags & ROW.gone) !== 0)
    const hasLeft = (flags & ROW.left) !== 0
    element.classList.toggle('left', hasLeft)
    if (hasLeft) element.title = this.#frame.texts.left()
    else element.removeAttribute('title')
    element.classList.toggle('faulty', (flags & ROW.draft) !== 0)
    line.marks.data = stateMarks(flags)
    const words = stateTexts(this.#frame.texts, flags).join(language.comma)
    if (words === '') {
      lead.removeAttribute('title')
      lead.removeAttribute('aria-description')
    } else {
      lead.title = words
      lead.setAttribute('aria-description', words)
    }
  }

  /** Creates the elements again when columns, their widths or the height of the view change. */
  #rebuild(): void {
    const { engine, body, lead, rowHeight } = this.#frame
    const same = this.#columns === engine.columns && this.#height === rowHeight
    if (same && this.#lines.length === engine.scroll.slots) return
    if (!same || this.#lines.length > engine.scroll.slots) {
      this.#hovered = undefined
      this.#lines = []
      body.replaceChildren()
    }
    this.#columns = engine.columns
    this.#x = Number.NaN
    body.style.setProperty('--lead', `${lead}px`)
    body.style.setProperty('--line-height', `${rowHeight}px`)
    const added = document.createDocumentFragment()
    for (let slot = this.#lines.length; slot < engine.scroll.slots; slot += 1) {
      const line = this.#makeLine(slot)
      added.append(line.element)
      this.#lines.push(line)
    }
    body.append(added)
  }

  #makeLine(slot: number): BodyLine {
    const { engine, rowHeight, id, lead: width } = this.#frame
    const { columns } = engine
    const element = document.createElement('div')
    element.className = 'line'
    element.hidden = true
    element.setAttribute('role', 'row')
    element.style.top = `${slot * rowHeight}px`
    const lock = createElement(element, 'lock', 'presentation')
    const rest = createElement(element, 'rest', 'presentation')
    lock.style.inlineSize = `${width + columns.frozenWidth}px`
    rest.style.insetInlineStart = `${width + columns.frozenWidth}px`
    rest.style.inlineSize = `${columns.restWidth}px`
    const lead = createElement(lock, 'cell lead', 'rowheader')
    lead.setAttribute('aria-colindex', '1')
    const marks = document.createElement('span')
    marks.className = 'marks'
    marks.append(document.createTextNode(''))
    const number = document.createTextNode('')
    lead.append(marks, number)
    const cells: HTMLElement[] = []
    const texts: Text[] = []
    columns.shown.forEach((_, column) => {
      const isFrozen = column < columns.frozen
      const cell = createElement(isFrozen ? lock : rest, 'cell', 'gridcell')
      cell.id = `${id}-${slot}-${column}`
      cell.setAttribute('aria-colindex', String(column + 2))
      cell.style.insetInlineStart = `${(columns.starts[column] ?? 0) + (isFrozen ? width : 0)}px`
      cell.style.inlineSize = `${columns.widths[column] ?? 0}px`
      const text = document.createTextNode('')
      cell.append(text)
      cells.push(cell)
      texts.push(text)
    })
    return {
      element,
      rest,
      lead,
      number,
      marks: marks.firstChild as Text,
      cells,
      texts,
      shown: columns.shown.map(() => ''),
      states: columns.shown.map(() => -1),
      row: -1,
      flags: 0,
      isChosen: false,
    }
  }

  #slideColumns(x: number): void {
    this.#x = x
    const shift = x === 0 ? '' : `translateX(${this.#frame.rtl ? x : -x}px)`
    for (const { rest } of this.#lines) rest.style.transform = shift
  }
}

function leadOf(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>('[role=rowheader]')) || undefined
}

function cellOf(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>('[role=gridcell]')) || undefined
}
