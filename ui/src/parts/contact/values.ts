// Formats the values of contacts’ fields for display. Dates look the same everywhere.
import { formatDate } from '../../lib/format'
import { visible } from '../../lib/text'
import { isCustom } from './fields'

/** Text that can only be a date, even in a field for arbitrary text. */
const YEAR_FIRST = /^\s*\d{4}-/

/** Formats a value for display. Fields and copies use the stored form. */
export function formatValue(field: string, text: string): string {
  return visible(formatDateValue(field, text))
}

/** Formats a value that is a date. In a custom field, only dates with the year first are formatted: the column is sorted
 *  as text, which would look wrong for other spellings. */
export function formatDateValue(field: string, text: string): string {
  const isDate = field === 'date_of_birth' || (isCustom(field) && YEAR_FIRST.test(text))
  return isDate ? formatDate(text) : text
}

/** Formats values of one field beside each other. Two spellings of the same day stay unchanged, because nothing else
 *  distinguishes them. */
export function formatValues(field: string, texts: readonly string[]): string[] {
  const read = texts.map((text) => formatValue(field, text))
  const isDistinct = (at: number): boolean =>
    read.every((text, n) => text !== read[at] || texts[n] === texts[at])
  return texts.map((text, at) => (isDistinct(at) ? (read[at] ?? text) : visible(text)))
}
