// Selecting rows by the rules of every file list.
import { describe, expect, it } from 'vitest'
import { nextSort, visibleColumns, fitColumns, DEFAULT_LAYOUT, type Column } from './columns'
import { selectAll, selectRow, selectNone, EMPTY_SELECTION, rowAfterKey } from './selection'

const ROWS = ['a', 'b', 'c', 'd']
const chosen = (selection: { chosen: ReadonlySet<string> }): string =>
  [...selection.chosen].toSorted().join('')

describe('selection', () => {
  it('is one row, or a range from the first click, or single rows switched', () => {
    const one = selectRow(EMPTY_SELECTION, ROWS, 'b', 'only')
    expect(chosen(one)).toBe('b')
    const range = selectRow(one, ROWS, 'd', 'extend')
    expect(chosen(range)).toBe('bcd')
    expect(chosen(selectRow(range, ROWS, 'a', 'extend'))).toBe('ab')
    const without = selectRow(range, ROWS, 'c', 'toggle')
    expect(chosen(without)).toBe('bd')
    expect(chosen(selectRow(without, ROWS, 'c', 'move'))).toBe('bd')
    expect(chosen(selectNone(range))).toBe('')
  })

  it('keeps what is chosen on other pages', () => {
    const other = selectRow(EMPTY_SELECTION, ['x'], 'x', 'only')
    expect(chosen(selectAll(other, ROWS))).toBe('abcdx')
    expect(chosen(selectRow(other, ROWS, 'b', 'extend'))).toBe('bx')
  })

  it('moves by keys and stops at the ends', () => {
    expect(rowAfterKey('ArrowDown', ROWS, 'd', 10)).toBe('d')
    expect(rowAfterKey('ArrowUp', ROWS, 'a', 10)).toBe('a')
    expect(rowAfterKey('PageDown', ROWS, 'a', 2)).toBe('c')
    expect(rowAfterKey('End', ROWS, 'a', 2)).toBe('d')
    expect(rowAfterKey('ArrowDown', ROWS, undefined, 2)).toBe('a')
    expect(rowAfterKey('x', ROWS, 'a', 2)).toBeUndefined()
    expect(rowAfterKey('End', [], undefined, 2)).toBeUndefined()
  })
})

describe('columns', () => {
  const columns = [
    { id: 'name', title: 'Name', head: true },
    { id: 'at', title: 'At', first: 'descending' as const },
    { id: 'uid', title: 'Uid', hidden: true },
  ]
  const at = { id: 'at', title: 'At', first: 'descending' as const }

  it('are shown as they say, unless the person arranged it otherwise', () => {
    const ids = (shown: Record<string, boolean>): string[] =>
      visibleColumns(columns, { ...DEFAULT_LAYOUT, shown }).map(({ id }) => id)
    expect(ids({})).toEqual(['name', 'at'])
    expect(ids({ uid: true, at: false, name: false })).toEqual(['name', 'uid'])
  })

  it('sort in their own order first and turn round then', () => {
    const first = nextSort(undefined, at)
    expect(first).toEqual({ column: 'at', order: 'descending' })
    expect(nextSort(first, at).order).toBe('ascending')
  })
})

describe('a table without room for all its columns', () => {
  const columns: Column<string>[] = [
    { id: 'name', title: 'Name', head: true, width: 200 },
    { id: 'when', title: 'When', width: 100, spare: 2 },
    { id: 'count', title: 'Count', width: 100 },
    { id: 'list', title: 'List', width: 100, spare: 1 },
  ]
  const shown = (room: number, layout = DEFAULT_LAYOUT): string =>
    visibleColumns(fitColumns(columns, layout, room), layout)
      .map(({ id }) => id)
      .join(' ')

  it('hides the least important ones, and as few as possible', () => {
    expect(shown(Infinity)).toBe('name when count list')
    expect(shown(500)).toBe('name when count list')
    expect(shown(499)).toBe('name when count')
    expect(shown(399)).toBe('name count')
    expect(shown(100)).toBe('name count')
  })

  it('narrows columns that can be narrow, if hiding others is not enough', () => {
    const some: Column<string>[] = [...columns, { id: 'last', title: 'Last', width: 90, narrow: 60 }]
    const widths = (room: number): (number | undefined)[] =>
      visibleColumns(fitColumns(some, DEFAULT_LAYOUT, room), DEFAULT_LAYOUT).map(({ width }) => width)
    expect(widths(390)).toEqual([200, 100, 90])
    expect(widths(389)).toEqual([200, 100, 60])
  })

  it('keeps what the person asked for by hand', () => {
    expect(shown(350, { widths: {}, shown: { list: true } })).toBe('name count list')
    expect(shown(400, { widths: {}, shown: { count: false } })).toBe('name when list')
  })
})
