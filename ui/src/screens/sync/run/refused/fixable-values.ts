// The values of a refused row that need fixing, and the advice about the row.
import type { RefusedFault, RefusedRow } from '../../../../api/generated'

export interface FixableValue {
  field: string
  title: string
  value: string
  fault: string | undefined
}

/** The fields to show if an error names none. */
const NUMBERS: ReadonlySet<string> = new Set(['phone_number', 'whatsapp_number'])

/** Returns the field of an error: the named one, or the first word of its message if the row has such a field. */
function findField({ field, message }: RefusedFault, values: RefusedRow['values']): string | undefined {
  if (field !== null) return field
  const [first = ''] = message.split(/[\s:]/u, 1)
  return values.some((one) => one.field === first) ? first : undefined
}

/** Returns the values to fix: those with errors, and the numbers if an error names no field. */
export function listFixableValues({ values, faults }: Pick<RefusedRow, 'values' | 'faults'>): FixableValue[] {
  const named = new Map(faults.map((fault) => [findField(fault, values), fault.message]))
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

/** Returns the advice and the messages that belong to no field, each sentence once. */
export function listAdvice({ values, faults }: Pick<RefusedRow, 'values' | 'faults'>): string[] {
  const adviceLines = faults.flatMap((fault) => {
    const { message, advice } = fault
    return findField(fault, values) === undefined ? [message, advice] : [advice]
  })
  return [...new Set(adviceLines.filter((line) => line !== ''))]
}
