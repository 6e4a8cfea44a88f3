// The only polite live region: it announces what a screen reader cannot know from the focus alone.
import { CELL, ROW } from '../engine/bytes'
import type { GridAnnouncement } from '../engine/source'
import { createElement, type GridFrame } from './frame'
import { STATES, stateTexts } from './states'

/** Held keys cause many moves; only the last one is announced. */
const PAUSE_MS = 120

const WEIGHT = { moved: 0, chosen: 1, copied: 2, refused: 2, result: 2 } as const

export class Live {
  readonly #frame: GridFrame
  readonly #region: HTMLElement
  #timer: ReturnType<typeof setTimeout> | undefined
  #pending: GridAnnouncement | undefined
  /** The element and the text of the cell that were announced last. */
  #element = ''
  #cell = ''

  constructor(frame: GridFrame) {
    this.#frame = frame
    this.#region = createElement(frame.host, 'live', 'status')
    this.#region.setAttribute('aria-live', 'polite')
    this.#region.setAttribute('aria-atomic', 'true')
  }

  announce(announcement: GridAnnouncement): void {
    // A result takes priority over the move and the selection that follow it.
    if (this.#pending !== undefined && WEIGHT[announcement.kind] < WEIGHT[this.#pending.kind]) return
    this.#pending = announcement
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#announcePending(), PAUSE_MS)
  }

  drop(): void {
    clearTimeout(this.#timer)
  }

  #announcePending(): void {
    const announcement = this.#pending
    this.#pending = undefined
    if (announcement === undefined) return
    if (announcement.kind === 'moved') {
      void this.#announceMove()
      return
    }
    this.#announceText(this.#frame.texts.announce(announcement))
  }

  async #announceMove(): Promise<void> {
    const { engine, grid, texts } = this.#frame
    const { focus, columns, blocks } = engine
    const element = grid.getAttribute('aria-activedescendant') ?? ''
    const cell = `${focus.row} ${focus.column}`
    // A screen reader reads a new element by itself, but not the same element with another text.
    const isSame = element === this.#element && cell !== this.#cell
    this.#element = element
    this.#cell = cell
    const cellFlags = blocks.cellFlags(focus.row, focus.column)
    const column = columns.shown[focus.column]
    if (column === undefined) return
    const why = await this.#explainCell(cellFlags, focus.row, column.id)
    if (cell !== this.#cell) return
    if (!isSame && why === undefined) {
      this.#announceText('')
      return
    }
    const text = blocks.text(focus.row, focus.column) ?? ''
    const value = text === '' ? '' : (column.show?.(text) ?? text)
    const flags = blocks.rowFlags(focus.row) & STATES & ~ROW.draft
    const position = texts.position({
      title: column.title,
      value: value === '' ? texts.blank() : value,
      row: texts.number(focus.row),
      total: texts.number(engine.total - 1),
      marks: [...(why === undefined ? [] : [why]), ...stateTexts(texts, flags)],
    })
    this.#announceText(position)
  }

  /** Returns why a draft was refused, or the text of a cell before it was changed. */
  async #explainCell(flags: number, row: number, column: string): Promise<string | undefined> {
    const { engine, texts } = this.#frame
    if ((flags & (CELL.draft | CELL.changed)) === 0 || (engine.blocks.rowFlags(row) & ROW.gone) !== 0)
      return undefined
    const general =
      (flags & CELL.draft) !== 0
        ? texts.draft()
        : (flags & CELL.conflict) !== 0
          ? texts.conflict()
          : texts.changed()
    try {
      return (await engine.source.explain?.(row, column)) ?? general
    } catch {
      return general
    }
  }

  #announceText(text: string): void {
    // A screen reader repeats the same words only if the text differs.
    this.#region.textContent = text !== '' && this.#region.textContent === text ? `${text}\u00a0` : text
  }
}
