// Replaces a text in the cells of rejected rows.

/** The part of a rejected row that a replacement needs. */
interface RejectCells {
  reject: number
  cells: readonly string[]
}

export interface Replacement {
  find: string
  with: string
  /** The column in which to search; undefined for all. */
  column: number | undefined
  isCaseSensitive: boolean
}

interface CellChange {
  reject: number
  column: number
  text: string
}

/** Returns the cells that a replacement changes, with their new texts. */
export function replaceInRows(rows: readonly RejectCells[], wanted: Replacement): CellChange[] {
  if (wanted.find === '') return []
  const literal = wanted.find.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  const pattern = new RegExp(literal, wanted.isCaseSensitive ? 'gu' : 'giu')
  return rows.flatMap(({ reject, cells }) =>
    cells.flatMap((before, column) => {
      if (wanted.column !== undefined && wanted.column !== column) return []
      const text = before.replaceAll(pattern, () => wanted.with)
      return text === before ? [] : [{ reject, column, text }]
    }),
  )
}
