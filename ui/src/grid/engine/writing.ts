// Everything that changes or copies rows: editing a cell, clearing, filling, cutting, copying and pasting.
import { planPaste, writeHtml, writeTabbed, type PastePlan, type Table } from './clip'
import { applyEditEvent, type EditEvent, type EditState } from './edit'
import { Intervals } from './intervals'
import type { SelectionGroup, CellRange, Selection, CellPosition } from './selection'
import { extendSeries, toNumberSeries } from './series'
import type { CellEdit, GridAct, GridSource, EngineHooks, EditOutcome, ResultOf } from './source'
import type { Blocks } from './blocks'
import type { Columns } from './columns'
import type { Direction } from './keys'

/** Copies of up to this many cells are made from the loaded rows, synchronously. */
const MOST_COPIED_HERE = 10_000
/** The page computes series of up to this many values; the core computes longer ones. */
const MOST_SERIES_HERE = 10_000

/** What writing needs of the grid around it. */
export interface WritingContext {
  readonly selection: Selection
  readonly blocks: Blocks
  readonly hooks: EngineHooks
  readonly source: GridSource
  readonly columns: Columns
  readonly focus: CellPosition
  readonly total: number
  reveal(spot: CellPosition): void
  next(along: 'row' | 'column', back: boolean): boolean
  step(to: Direction): void
  choose(spot: CellPosition, how: 'only' | 'extend'): void
}

export class Writing {
  state: EditState | undefined
  /** Whether the next paste offers options. */
  isSpecial = false
  readonly #desk: WritingContext
  readonly #edits = new Set<Promise<void>>()

  constructor(desk: WritingContext) {
    this.#desk = desk
  }

  // The editor

  /** Begins an edit and returns whether the cell can be edited. */
  begin(quick: boolean): boolean {
    const { focus, columns, blocks, total } = this.#desk
    const column = columns.shown[focus.column]
    // Typing does not wait for a row that is still loading.
    const before = blocks.text(focus.row, focus.column) ?? (quick ? '' : undefined)
    if (column === undefined || total === 0 || before === undefined) return false
    if (column.isReadOnly === true) {
      this.#desk.hooks.announce({ kind: 'refused', why: 'read-only' })
      return true
    }
    this.#desk.reveal(focus)
    this.feed({ on: 'start', row: focus.row, column: column.id, before, quick })
    this.#desk.hooks.editing()
    return true
  }

  feed(event: EditEvent): void {
    const desk = this.#desk
    const was = this.state
    const { state, effects } = applyEditEvent(was, event)
    this.state = state
    for (const effect of effects) {
      switch (effect.do) {
        case 'write':
          void this.cells('edit', [{ row: effect.row, column: effect.column, text: effect.text }])
          break
        case 'write-all':
          if (desk.selection.isSingle && was !== undefined)
            void this.cells('edit', [{ row: was.row, column: was.column, text: effect.text }])
          else void this.act('set', effect.text === '' ? { clear: true } : { set: effect.text })
          break
        case 'move':
          desk.next(effect.along, effect.back)
          break
        case 'step':
          desk.step(effect.to)
          break
        case 'close':
          break
      }
    }
    this.#reportUnfinished()
    desk.hooks.changed()
  }

  /** Writes the text of an open editor, as leaving its field does, and waits until every edit is saved. */
  async finish(): Promise<void> {
    this.feed({ on: 'leave' })
    await Promise.allSettled(this.#edits)
  }

  #reportUnfinished(): void {
    const isTyped = this.state !== undefined && this.state.text !== this.state.before
    this.#desk.hooks.unfinished(isTyped || this.#edits.size > 0)
  }

  // Acts

  async cells(of: ResultOf, cells: readonly CellEdit[]): Promise<void> {
    const edit = this.#writeCells(of, cells)
    this.#edits.add(edit)
    try {
      await edit
    } finally {
      this.#edits.delete(edit)
      this.#reportUnfinished()
    }
  }

  async #writeCells(of: ResultOf, cells: readonly CellEdit[]): Promise<void> {
    const { blocks, source } = this.#desk
    for (const { row, column, text } of cells) blocks.write(row, column, text ?? '')
    const rows = Intervals.of(cells.map(({ row }) => [row, row + 1] as const))
    await this.#run(of, rows, () =>
      source.edit(cells.map((cell) => (cell.text === '' ? { ...cell, text: null } : cell))),
    )
  }

  async act(of: ResultOf, act: GridAct, given?: readonly SelectionGroup[]): Promise<void> {
    const { selection, source } = this.#desk
    const groups = this.#isWritable(given ?? selection.groups())
    if (groups.length === 0) {
      this.#desk.hooks.announce({ kind: 'refused', why: 'read-only' })
      return
    }
    await this.#run(of, allRows(groups), () => source.act(groups, act))
  }

  /** Fills down from the top row of the selection, or right from its first column. A single row or column copies its
   *  neighbour. */
  async fill(to: 'down' | 'right'): Promise<void> {
    const { selection, columns } = this.#desk
    const { top, bottom, left, right } = selection.rect
    if (!selection.isSimple) {
      this.#desk.hooks.announce({ kind: 'refused', why: 'not-a-block' })
      return
    }
    const down = to === 'down'
    const from = down ? (bottom - top === 1 ? top - 1 : top) : right - left === 1 ? left - 1 : left
    if (from < 0) return
    const rows = Intervals.range(down ? from : top, bottom)
    await this.act('fill', { fill: to }, [{ rows, columns: columns.ids.slice(down ? left : from, right) }])
  }

  /** Fills from the handle: continues `from` over `to`, as copies or as a series. */
  async drag(from: CellRange, to: CellRange, series: boolean): Promise<void> {
    const { columns, blocks, hooks } = this.#desk
    const vertical = to.bottom > from.bottom || to.top < from.top
    const ids = columns.ids.slice(from.left, from.right)
    const height = from.bottom - from.top
    const rows = vertical ? sizeBeyond(from, to) : height
    try {
      if (vertical && series && rows * ids.length > MOST_SERIES_HERE) {
        await this.#fillLongSeries(from, to, ids)
        return
      }
      if (height * ids.length > MOST_COPIED_HERE) {
        hooks.announce({ kind: 'refused', why: 'too-many' })
        return
      }
      const given = await blocks.read(from.top, from.bottom, ids)
      if (!vertical) await this.#fillSideways(given, from, to, series)
      else if (series) {
        const back = to.top < from.top
        const added = ids.map((_, at) =>
          extendSeries(
            given.map((row) => row[at] ?? ''),
            rows,
            back,
          ),
        )
        const table = Array.from({ length: rows }, (_, at) => added.map((values) => values[at] ?? ''))
        await this.#runAct(back ? to.top : from.bottom, ids, table)
      } else {
        const back = to.top < from.top
        const [top, bottom] = back ? [to.top, from.top] : [from.bottom, to.bottom]
        await this.#runAct(top, ids, back ? rotateRows(given, bottom - top) : given, [top, bottom])
      }
    } catch (error) {
      hooks.failed(error)
    }
  }

  /** Fills after a double click on the handle: down as far as the column to the left, or else to the right, has
   *  values. */
  async fillBeside(series: boolean): Promise<void> {
    const { selection, columns, blocks, source, total, hooks } = this.#desk
    const { rect } = selection
    if (!selection.isSimple || source.edge === undefined || rect.bottom >= total) return
    const beside = [rect.left - 1, rect.right]
      .map((place) => columns.ids[place])
      .filter((id) => id !== undefined)
    try {
      for (const id of beside) {
        const pair = await blocks.read(rect.bottom - 1, rect.bottom + 1, [id])
        if (pair.some(([text]) => text === '')) continue
        const bottom = (await source.edge(rect.bottom - 1, id, false)) + 1
        selection.extend({ row: bottom - 1, column: rect.right - 1 })
        await this.drag(rect, { ...rect, bottom }, series)
        return
      }
    } catch (error) {
      hooks.failed(error)
    }
  }

  async #fillSideways(given: Table, from: CellRange, to: CellRange, series: boolean): Promise<void> {
    const back = to.left < from.left
    const [left, right] = back ? [to.left, from.left] : [from.right, to.right]
    const count = right - left
    const table = given.map((row) =>
      series ? extendSeries(row, count, back) : repeatRow(back ? row.toReversed() : row, count, back),
    )
    await this.#runAct(from.top, this.#desk.columns.ids.slice(left, right), table)
  }

  async #fillLongSeries(from: CellRange, to: CellRange, ids: readonly string[]): Promise<void> {
    const { blocks, hooks } = this.#desk
    const given = ids.length === 1 ? await blocks.read(from.top, from.bottom, ids) : []
    const series = to.top < from.top ? undefined : toNumberSeries(given.map((row) => row[0] ?? ''))
    if (series === undefined) hooks.announce({ kind: 'refused', why: 'too-many' })
    else {
      const rows = Intervals.range(from.top, to.bottom)
      await this.act('fill', { series }, [{ rows, columns: ids }])
    }
  }

  async #runAct(
    row: number,
    columns: readonly string[],
    rows: Table,
    into?: readonly [number, number],
  ): Promise<void> {
    const { source } = this.#desk
    const touched = Intervals.range(row, into?.[1] ?? row + rows.length)
    const plan = { row, columns, rows, ...(into === undefined ? {} : { into: [into] }) }
    await this.#run('fill', touched, () =>
      source.fillIn === undefined ? source.paste(plan, false) : source.fillIn(plan),
    )
  }

  // The clipboard

  /** Returns what a copy takes: a block of selected rows by selected columns. */
  block(): SelectionGroup | undefined {
    const groups = this.#desk.selection.groups()
    return groups.length === 1 ? groups[0] : undefined
  }

  /** Returns the texts if all of them are loaded and few enough to be written while the event lasts. */
  here(headings: boolean): { text: string; html: string; group: SelectionGroup } | undefined {
    const { blocks, columns } = this.#desk
    const group = this.block()
    if (group === undefined || group.rows.size * group.columns.length > MOST_COPIED_HERE) return undefined
    if (!group.rows.pairs.every(([from, to]) => blocks.has(from, to))) return undefined
    const places = group.columns.map((id) => columns.findIndex(id))
    const rows = [...group.rows.rows()].map((row) => places.map((place) => blocks.text(row, place) ?? ''))
    const head = headings ? places.map((place) => columns.shown[place]?.title ?? '') : undefined
    return {
      text: writeTabbed(head === undefined ? rows : [head, ...rows]),
      html: writeHtml(rows, head),
      group,
    }
  }

  /** Copies at once or through the core, and reports only what was really copied. */
  async copy(
    headings: boolean,
    cut = false,
    written?: (text: string, html: string) => boolean,
  ): Promise<void> {
    const { hooks, source } = this.#desk
    const group = this.block()
    if (group === undefined) {
      hooks.announce({ kind: 'refused', why: 'not-a-block' })
      return
    }
    const cells = group.rows.size * group.columns.length
    const here = this.here(headings)
    try {
      let done: boolean
      if (here !== undefined)
        done = written?.(here.text, here.html) ?? (await hooks.copyText(here.text, here.html))
      else if (source.copy === undefined) {
        hooks.announce({ kind: 'refused', why: 'too-many' })
        return
      } else {
        const text = await source.copy(group.rows, group.columns, headings)
        done = text === undefined || (await hooks.copyText(text))
      }
      if (!done) {
        hooks.announce({ kind: 'refused', why: 'clipboard' })
        return
      }
      hooks.announce({ kind: 'copied', rows: group.rows.size, cells, cut })
      if (cut) await this.act('clear', { clear: true }, [group])
    } catch (error) {
      hooks.failed(error)
    }
  }

  async paste(table: Table): Promise<void> {
    const { selection, columns, source, total, hooks } = this.#desk
    const special = this.isSpecial
    this.isSpecial = false
    if (columns.ids.length === 0) return
    const [[only] = []] = table
    if (
      only !== undefined &&
      table.length === 1 &&
      table[0]?.length === 1 &&
      !special &&
      this.block() === undefined
    ) {
      // Paste one value into several ranges, each with its own rows and columns.
      await this.act('paste', only === '' ? { clear: true } : { set: only })
      return
    }
    const plan = planPaste(table, selection, columns.ids)
    const touched =
      plan.into === undefined
        ? Intervals.range(plan.row, Math.max(plan.row + table.length, total))
        : Intervals.of(plan.into)
    if (table.length === 0) hooks.announce({ kind: 'refused', why: 'nothing' })
    else {
      const outcome = await this.#run('paste', touched, () => source.paste(plan, special))
      if (outcome !== undefined && plan.into === undefined) this.#choosePasted(plan, table, outcome)
    }
  }

  /** Selects the pasted block. */
  #choosePasted(
    { row, columns: [first = ''] }: PastePlan,
    table: Table,
    { isTransposed = false }: EditOutcome,
  ): void {
    const desk = this.#desk
    const { selection, columns } = desk
    const column = columns.findIndex(first)
    const size = [table.length, Math.max(1, ...table.map((line) => line.length))] as const
    const [tall, wide] = isTransposed ? [size[1], size[0]] : size
    if (column === -1 || !selection.isSimple) return
    desk.choose({ row, column }, 'only')
    if (tall * wide > 1) desk.choose({ row: row + tall - 1, column: column + wide - 1 }, 'extend')
  }

  async #run(
    of: ResultOf,
    rows: Intervals,
    ask: () => Promise<EditOutcome | undefined>,
  ): Promise<EditOutcome | undefined> {
    const { blocks, hooks } = this.#desk
    hooks.changed()
    try {
      const outcome = await ask()
      if (outcome !== undefined) hooks.announce({ kind: 'result', of, outcome })
      return outcome
    } catch (error) {
      hooks.failed(error)
      return undefined
    } finally {
      // Even after a failure, show what the core has now.
      blocks.stale(rows)
    }
  }

  #isWritable(groups: readonly SelectionGroup[]): SelectionGroup[] {
    const { columns } = this.#desk
    return groups
      .map(({ rows, columns: ids }) => ({
        rows,
        columns: ids.filter((id) => columns.shown[columns.findIndex(id)]?.isReadOnly !== true),
      }))
      .filter((group) => group.columns.length > 0 && !group.rows.isEmpty)
  }
}

function allRows(groups: readonly SelectionGroup[]): Intervals {
  return groups.reduce((sum, { rows }) => sum.union(rows), Intervals.EMPTY)
}

function sizeBeyond(from: CellRange, to: CellRange): number {
  return to.top < from.top ? from.top - to.top : to.bottom - from.bottom
}

/** Rotates the pattern so that it ends at the edge from which the user dragged upwards. */
function rotateRows(given: Table, count: number): Table {
  const skip = (given.length - (count % given.length)) % given.length
  return [...given.slice(skip), ...given.slice(0, skip)]
}

function repeatRow(row: readonly string[], count: number, back: boolean): string[] {
  const out = Array.from({ length: count }, (_, at) => row[at % row.length] ?? '')
  return back ? out.toReversed() : out
}
