// The columns of a grid that shows the rows of a file. Columns that Roost adds come first.
import { m } from '../../../gen/words'
import type { GridColumn } from '../../../grid/engine/columns'
import { formatNumber } from '../../../lib/format'
import { visible } from '../../../lib/text'

/** The columns that Roost adds. */
export const PLACE = '@place'
export const RESULT = '@result'
const FEW = 2

export const toCellId = (column: number): string => `c${column}`

export function parseCellId(id: string): number | undefined {
  const place = /^c(\d+)$/.exec(id)?.[1]
  return place === undefined ? undefined : Number(place)
}

export function createFileColumns(names: readonly string[]): GridColumn[] {
  // Wide columns for few cells, so that whole values are visible while they are edited.
  const width = names.length <= FEW ? 320 : 150
  return names.map((name, column) => ({
    id: toCellId(column),
    title: name.trim() === '' ? m.mapping_column_number({ number: formatNumber(column + 1) }) : visible(name),
    width,
  }))
}
