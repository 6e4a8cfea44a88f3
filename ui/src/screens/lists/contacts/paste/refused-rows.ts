// Passes refused rows of a paste on to an import, where they can be fixed.
import { toTabSeparated } from '../../../../lib/copy'
import { incoming } from '../../../../parts/files/incoming.svelte'

/** The fields that identify a contact. The import needs a column for at least one of them, or no row could be fixed. */
export const NUMBER_FIELDS = ['phone_number', 'whatsapp_id']

interface RefusedRows {
  list: string
  /** How many of the other rows were added. */
  added: number
  country: string | null
  rows: readonly { row: number; values: Readonly<Record<string, string>> }[]
  /** Returns the heading for the column of a field. */
  heading: (field: string) => string
}

export function importRefusedRows({ list, added, country, rows, heading }: RefusedRows): void {
  const fields = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
  if (!fields.some((field) => NUMBER_FIELDS.includes(field))) fields.unshift('phone_number')
  const lines = rows.map(({ values }) => fields.map((field) => values[field] ?? ''))
  const text = toTabSeparated([fields.map(heading), ...lines])
  incoming.deliver({ files: [], text, list, refused: { added, country, rows: rows.map(({ row }) => row) } })
}

/** Returns a function that gives the heading of a field: the label if it is a custom field, or else its name. The
 *  import recognises both. */
export function createHeadingLookup(fields: readonly { name: string; label: string | null }[]) {
  return (field: string): string => fields.find(({ name }) => name === field)?.label ?? field
}

/** Returns the cells of a line by field, without empty ones. */
export function readValues(
  cells: readonly string[],
  columns: readonly string[],
  fields: readonly { name: string }[],
): Record<string, string> {
  const named = columns.map((column, at) => [column, cells[at] ?? ''] as const)
  return Object.fromEntries(
    named.filter(([column, cell]) => cell !== '' && fields.some(({ name }) => name === column)),
  )
}

export function transposeRows(rows: readonly (readonly string[])[]): string[][] {
  const width = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? ''))
}
