// Moves the focus by keys: by a step or a page, to the end of a row or the grid, to the edge of the data, and through
// the selection. Also selects all.
import type { Blocks } from './blocks'
import type { Columns } from './columns'
import { nextInRange, findEdgeColumn, findPagedColumn, stepFrom } from './focus'
import type { KeyAct, Direction } from './keys'
import type { Scroll } from './scroll'
import type { Selection, CellPosition } from './selection'
import type { GridSource, EngineHooks } from './source'

/** The parts of the engine that moving the focus uses. */
export interface WalkContext {
  readonly selection: Selection
  readonly blocks: Blocks
  readonly scroll: Scroll
  readonly hooks: EngineHooks
  readonly source: GridSource
  readonly columns: Columns
  readonly total: number
  readonly scrollingWidth: number
  readonly x: number
  focus: CellPosition
  scrollTo(first: number): void
  scrollX(x: number): boolean
  reveal(spot: CellPosition): void
  land(spot: CellPosition): void
  move(spot: CellPosition, extending: boolean): void
  announceSelection(isMove: boolean): void
}

export type MoveAct = Extract<KeyAct, { act: 'step' | 'page' | 'bound' | 'edge' }>

export class Walk {
  readonly #ground: WalkContext
  /** The column where a run of Tab began; Enter returns to it. */
  #tabFrom: number | undefined
  /** Identifies the current move, so that late responses of the source are ignored. */
  #turn = 0
  /** A pending response that changes the selection; the next key presses wait for it. */
  waiting: Promise<void> | undefined

  constructor(ground: WalkContext) {
    this.#ground = ground
  }

  /** Ends a run of Tab and ignores pending responses, because something else moves the focus. */
  leave(): void {
    this.forgetAnswers()
    this.#tabFrom = undefined
  }

  /** Ignores pending responses, but a run of Tab continues, because the focus stays in its cell. */
  forgetAnswers(): void {
    this.#turn += 1
  }

  /** Starts a range at the focus, even if Tab moved it away from the range's corner. */
  anchor(): void {
    const { selection, focus } = this.#ground
    const { anchor, span } = selection
    const isOtherRow = span !== 'columns' && anchor.row !== focus.row
    const isOtherColumn = span !== 'rows' && anchor.column !== focus.column
    if (span !== 'all' && (isOtherRow || isOtherColumn)) selection.only(focus, span)
  }

  go(going: MoveAct): void {
    if (going.extends) this.anchor()
    const { extends: extending } = going
    switch (going.act) {
      case 'step':
        this.#ground.move(stepFrom(this.#from(extending), going.to), extending)
        break
      case 'page':
        this.#movePage(going.to, extending)
        break
      case 'bound':
        this.#moveToBound(going.to, going.whole, extending)
        break
      case 'edge':
        this.#waitFor(this.#moveToEdge(going.to, extending))
        break
    }
  }

  /** Moves to the next cell for Tab and Enter; within a selection, from its end back to its start. Returns false where
   *  Tab leaves the grid. */
  next(along: 'row' | 'column', back: boolean): boolean {
    this.#turn += 1
    const ground = this.#ground
    const { selection, focus, columns, total } = ground
    const by = back ? -1 : 1
    if (selection.isSimple && !selection.isSingle && selection.span === 'cells') {
      ground.focus = nextInRange(selection.rect, focus, along, by)
      ground.reveal(ground.focus)
      ground.hooks.selectionChanged()
      ground.hooks.announce({ kind: 'moved' })
      ground.hooks.changed()
      return true
    }
    if (along === 'column') {
      const column = this.#tabFrom ?? focus.column
      this.#tabFrom = undefined
      ground.land({ row: focus.row + by, column })
      return true
    }
    this.#tabFrom ??= focus.column
    const last = columns.ids.length - 1
    const column = focus.column + by
    if (column < 0 || column > last) {
      const row = focus.row + by
      // At the first and last cell Tab leaves the grid, so that keyboard users are not trapped.
      if (row < 0 || row >= total) return false
      ground.land({ row, column: column < 0 ? last : 0 })
    } else ground.land({ row: focus.row, column })
    return true
  }

  /** Selects the run of rows around the focus that are filled in its column. If there is none, or a range is selected
   *  already, selects everything. */
  selectAll(): void {
    this.#waitFor(this.#selectMore())
  }

  #waitFor(answer: Promise<void>): void {
    const waiting = answer.finally(() => {
      if (this.waiting === waiting) this.waiting = undefined
    })
    this.waiting = waiting
  }

  async #selectMore(): Promise<void> {
    const turn = this.#turn
    const { selection, focus, blocks, columns, total, source, hooks } = this.#ground
    if (source.edge !== undefined && selection.isSingle) {
      try {
        const isFilled = (blocks.text(focus.row, focus.column) ?? '') !== ''
        const [top, bottom] = isFilled
          ? await Promise.all([this.#findEdgeRow(focus, true), this.#findEdgeRow(focus, false)])
          : [focus.row, focus.row]
        if (turn !== this.#turn) return
        if (bottom > top && (top > 0 || bottom < total - 1)) {
          selection.only({ row: top, column: 0 })
          selection.extend({ row: bottom, column: columns.ids.length - 1 })
          this.#ground.announceSelection(false)
          return
        }
      } catch (error) {
        hooks.failed(error)
        return
      }
    }
    selection.selectAll()
    this.#ground.announceSelection(false)
  }

  #from(extending: boolean): CellPosition {
    return extending ? this.#ground.selection.head : this.#ground.focus
  }

  #movePage(to: Direction, extending: boolean): void {
    const ground = this.#ground
    const from = this.#from(extending)
    const { scroll, columns, scrollingWidth } = ground
    if (to === 'up' || to === 'down') {
      const by = to === 'up' ? -scroll.page : scroll.page
      ground.scrollTo(scroll.first + by)
      ground.move({ row: from.row + by, column: from.column }, extending)
      return
    }
    const by = to === 'start' ? -scrollingWidth : scrollingWidth
    ground.scrollX(ground.x + by)
    ground.move({ row: from.row, column: findPagedColumn(columns, from.column, by) }, extending)
  }

  #moveToBound(to: 'start' | 'end', whole: boolean, extending: boolean): void {
    const { columns, total } = this.#ground
    const from = this.#from(extending)
    const column = to === 'start' ? 0 : columns.ids.length - 1
    const row = !whole ? from.row : to === 'start' ? 0 : total - 1
    this.#ground.move({ row, column }, extending)
  }

  async #moveToEdge(to: Direction, extending: boolean): Promise<void> {
    const ground = this.#ground
    const turn = this.#turn
    const from = this.#from(extending)
    if (to === 'start' || to === 'end') {
      const by = to === 'start' ? -1 : 1
      const column = findEdgeColumn(ground.blocks, ground.columns.ids.length, from, by)
      ground.move({ row: from.row, column }, extending)
      return
    }
    try {
      const row = await this.#findEdgeRow(from, to === 'up')
      if (turn === this.#turn) ground.move({ row, column: from.column }, extending)
    } catch (error) {
      ground.hooks.failed(error)
    }
  }

  async #findEdgeRow({ row, column }: CellPosition, back: boolean): Promise<number> {
    const { columns, source, total } = this.#ground
    const id = columns.ids[column]
    if (source.edge === undefined || id === undefined) return back ? 0 : total - 1
    return source.edge(row, id, back)
  }
}
