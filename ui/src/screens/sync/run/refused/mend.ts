// Which values of a refused row are in question, and what is told about the row.
import type { RefusedFault, RefusedRow } from '../../../../api/generated'

export interface Mendable {
  field: string
  title: string
  value: string
  fault: string | undefined
}

/** A row without a field in question is told by its numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['phone_number', 'whatsapp_number'])

/** The field a fault is about: named, or the first word of its sentence. */
function fieldOf({ field, message }: RefusedFault, values: RefusedRow['values']): string | undefined {
  if (field !== null) return field
  const [first = ''] = message.split(/[\s:]/u, 1)
  return values.some((one) => one.field === first) ? first : undefined
}

/** The values to mend: those in question, or its numbers where the row as a whole is refused. */
export function mendable({ values, faults }: Pick<RefusedRow, 'values' | 'faults'>): Mendable[] {
  const named = new Map(faults.map((fault) => [fieldOf(fault, values), fault.message]))
  const known = new Set(values.map(({ field }) => field))
  const missing = [...named.keys()].filter((field) => field !== undefined && !known.has(field))
  const all = [
    ...values,
    ...missing.map((field) => ({ field: field ?? '', title: field ?? '', value: null })),
  ]
  return all
    .filter(({ field }) => named.has(field) || (named.has(undefined) && NUMBERS.has(field)))
    .map(({ field, title, value }) => ({ field, title, value: value ?? '', fault: named.get(field) }))
}

/** What to do, each sentence once; what stands at a field is not told twice. */
export function adviceOf({ values, faults }: Pick<RefusedRow, 'values' | 'faults'>): string[] {
  const told = faults.flatMap((fault) => {
    const { message, advice } = fault
    return fieldOf(fault, values) === undefined ? [message, advice] : [advice]
  })
  return [...new Set(told.filter((line) => line !== ''))]
}
