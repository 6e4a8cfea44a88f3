// The columns of a grid of raw rows: first those of the program, then the cells of the file.
import { m } from '../../../gen/words'
import type { GridColumn } from '../../../grid/engine/columns'
import { formatNumber } from '../../../lib/format'
import { visible } from '../../../lib/text'

/** Columns of the program, which are not cells of the file. */
export const PLACE = '@place'
export const RESULT = '@result'
const FEW = 2

export const toCellId = (column: number): string => `c${column}`

export function parseCellId(id: string): number | undefined {
  const place = /^c(\d+)$/.exec(id)?.[1]
  return place === undefined ? undefined : Number(place)
}

export function createFileColumns(names: readonly string[]): GridColumn[] {
  // A row of few cells is edited without a search for the end of a text.
  const width = names.length <= FEW ? 320 : 150
  return names.map((name, column) => ({
    id: toCellId(column),
    title: name.trim() === '' ? m.mapping_column_number({ number: formatNumber(column + 1) }) : visible(name),
    width,
  }))
}
