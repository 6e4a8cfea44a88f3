// Serves windows of generated rows from another thread, as the core would; edits override them.
import { CELL, pack, ROW, type PackedCell } from '../../../ui/src/grid/engine/bytes'
import { textOf } from './rows'

export interface Asked {
  id: number
  window?: { generation: number; from: number; count: number; columns: readonly string[] }
  /** Null where a cell was emptied. */
  edits?: readonly (readonly [row: number, column: string, text: string | null])[]
}

const written = new Map<number, Map<string, string | null>>()

const isDraft = (column: string, text: string | null): boolean =>
  column === 'phone_number' && text !== null && !/^\+\d{7,15}$/.test(text)

function cellOf(row: number, column: string): PackedCell {
  const cells = written.get(row)
  const text = cells?.has(column) === true ? (cells.get(column) ?? null) : textOf(row, column)
  return { text: text === '' ? null : text, flags: isDraft(column, text) ? CELL.draft : 0 }
}

function flagsOf(row: number, cells: readonly PackedCell[]): number {
  const reach = row % 11 === 5 ? 2 : row % 23 === 9 ? 4 : 0
  const draft = cells.some(({ flags = 0 }) => (flags & CELL.draft) !== 0) ? ROW.draft : 0
  return reach | draft | (row % 41 === 12 ? ROW.gone : 0) | (row % 37 === 17 ? ROW.left : 0)
}

self.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  for (const [row, column, text] of data.edits ?? []) {
    const cells = written.get(row) ?? new Map<string, string | null>()
    written.set(row, cells.set(column, text))
  }
  if (data.window === undefined) {
    self.postMessage({ id: data.id })
    return
  }
  const { generation, from, count, columns } = data.window
  const rows = Array.from({ length: count }, (_, at) => {
    const cells = columns.map((column) => cellOf(from + at, column))
    return { cells, flags: flagsOf(from + at, cells) }
  })
  const bytes = pack(generation, from, rows, columns.length)
  self.postMessage({ id: data.id, bytes }, { transfer: [bytes] })
})
