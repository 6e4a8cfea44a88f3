// Values of a contact's fields as they read on every screen: dates in the form of all other days.
import { formatDate } from '../../lib/format'
import { visible } from '../../lib/text'
import { isCustom } from './fields'

/** What nobody could take for anything but a date, in a field that may hold anything. */
const YEAR_FIRST = /^\s*\d{4}-/

/** A value to be read; it is typed and copied as it is stored. */
export function valueText(field: string, text: string): string {
  return visible(dateText(field, text))
}

/** The day of a value. Other spellings in a custom field stay as typed: one column would mix two looks, sorted as neither. */
export function dateText(field: string, text: string): string {
  const isDate = field === 'date_of_birth' || (isCustom(field) && YEAR_FIRST.test(text))
  return isDate ? formatDate(text) : text
}

/** Values of one field beside each other. Two spellings of one day are shown as they are: nothing else tells them apart. */
export function valueTexts(field: string, texts: readonly string[]): string[] {
  const read = texts.map((text) => valueText(field, text))
  const isTold = (at: number): boolean => read.every((text, n) => text !== read[at] || texts[n] === texts[at])
  return texts.map((text, at) => (isTold(at) ? (read[at] ?? text) : visible(text)))
}
