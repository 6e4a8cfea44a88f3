// A grid source for rows that the core returns as texts: windows of them, and edits of their cells.
import { pack, type PackedCell } from '../../../grid/engine/bytes'
import type { WindowRequest } from '../../../grid/engine/blocks'
import type { PastePlan } from '../../../grid/engine/clip'
import type { SelectionGroup } from '../../../grid/engine/selection'
import type { CellEdit, GridAct, GridSource, EditOutcome } from '../../../grid/engine/source'

/** Cells by column. */
export type TextRow = Readonly<Record<string, PackedCell>>

export interface TextRows {
  /** Reads some rows, from a position in the current order. */
  read(from: number, count: number): Promise<readonly TextRow[]>
  write(cells: readonly CellEdit[]): Promise<EditOutcome>
  /** Returns whether a column can be edited. */
  canEdit(column: string): boolean
  /** Returns why a cell is wrong. */
  explain(row: number, column: string): Promise<string | undefined>
}

/** The most cells that are written at once. */
const MOST = 2_000

export class TextSource implements GridSource {
  constructor(private readonly rows: TextRows) {}

  window = async ({ generation, from, count, columns }: WindowRequest): Promise<ArrayBuffer> => {
    const read = await this.rows.read(from, count)
    const cells = read.map((row) => ({ cells: columns.map((column) => row[column] ?? { text: null }) }))
    return pack(generation, from, cells, columns.length)
  }

  edit = (cells: readonly CellEdit[]): Promise<EditOutcome> => this.#writeCells(cells)

  paste = (plan: PastePlan): Promise<EditOutcome> => this.#writeCells(toCellEdits(plan))

  act = async (groups: readonly SelectionGroup[], act: GridAct): Promise<EditOutcome | undefined> => {
    const text = 'set' in act ? act.set : 'clear' in act ? null : undefined
    if (text === undefined) return { changed: 0 }
    return this.#writeCells(listChosenCells(groups).map((cell) => ({ ...cell, text })))
  }

  explain = (row: number, column: string): Promise<string | undefined> => this.rows.explain(row, column)

  async #writeCells(cells: readonly CellEdit[]): Promise<EditOutcome> {
    const taken = cells.filter(({ column }) => this.rows.canEdit(column)).slice(0, MOST)
    return taken.length === 0 ? { changed: 0 } : this.rows.write(taken)
  }
}

/** Returns the cells that a paste writes; rows beyond the last one of the file are dropped. */
export function toCellEdits({ row, columns, rows, into }: PastePlan): CellEdit[] {
  const places =
    into === undefined
      ? rows.map((_, at) => row + at)
      : into.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at))
  return places.flatMap((place, at) => {
    const line = rows[at % rows.length] ?? []
    return columns.map((column, index) => ({ row: place, column, text: line[index] ?? '' }))
  })
}

function listChosenCells(groups: readonly SelectionGroup[]): { row: number; column: string }[] {
  const cells: { row: number; column: string }[] = []
  for (const { rows, columns } of groups)
    for (const [from, to] of rows.pairs)
      for (let row = from; row < to && cells.length < MOST; row += 1)
        for (const column of columns) cells.push({ row, column })
  return cells
}
