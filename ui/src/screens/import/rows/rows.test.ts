// Rows of texts: what the grid receives, and which cells it writes.
import { describe, expect, it } from 'vitest'
import { CELL, Window } from '../../../grid/engine/bytes'
import { Intervals } from '../../../grid/engine/intervals'
import type { CellEdit } from '../../../grid/engine/source'
import { parseCellId } from './columns'
import { toCellEdits, TextSource } from './source'

function made() {
  const written: CellEdit[] = []
  const source = new TextSource({
    read: async (from, count) =>
      Array.from({ length: count }, (_, at) => ({
        '@place': { text: String(from + at + 1) },
        c0: { text: 'nope', flags: CELL.draft },
      })),
    write: async (cells) => {
      written.push(...cells)
      return { changed: cells.length }
    },
    canEdit: (column) => parseCellId(column) !== undefined,
    explain: async () => 'This is no valid number.',
  })
  return { source, written }
}

describe('rows as texts', () => {
  it('packs the columns that are asked for, with what is wrong in them', async () => {
    const window = new Window(
      await made().source.window({ generation: 3, from: 4, count: 2, columns: ['c0', '@place', 'c9'] }),
    )
    expect([window.generation, window.from, window.rows]).toEqual([3, 4, 2])
    expect([window.text(0, 0), window.text(1, 1), window.text(0, 2)]).toEqual(['nope', '6', ''])
    expect(window.flags(0, 0) & CELL.draft).toBe(CELL.draft)
    expect(window.flags(0, 2)).toBe(CELL.blank)
  })

  it('writes into cells of the file only', async () => {
    const { source, written } = made()
    const rows = Intervals.range(1, 3)
    await source.act([{ rows, columns: ['@place', 'c0'] }], { set: 'x' })
    await source.act([{ rows: Intervals.range(0, 1), columns: ['c1'] }], { clear: true })
    expect(written).toEqual([
      { row: 1, column: 'c0', text: 'x' },
      { row: 2, column: 'c0', text: 'x' },
      { row: 0, column: 'c1', text: null },
    ])
    expect(await source.act([{ rows, columns: ['c0'] }], { fill: 'down' })).toEqual({ changed: 0 })
  })

  it('repeats what is pasted over what is chosen', () => {
    const plan = { row: 2, columns: ['c0', 'c1'], rows: [['a', 'b'], ['c']] }
    expect(toCellEdits(plan).map(({ row, text }) => `${row}${text}`)).toEqual(['2a', '2b', '3c', '3'])
    expect(
      toCellEdits({ ...plan, columns: ['c0'], rows: [['a']], into: [[5, 7]] }).map(({ row }) => row),
    ).toEqual([5, 6])
  })
})
