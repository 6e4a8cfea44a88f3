// Values of a contact's fields as they read on every screen: dates in the form of all other days.
import { formatDate } from '../../lib/format'
import { visible } from '../../lib/text'
import { isCustom } from './fields'

/** What nobody could take for anything but a date, in a field that may hold anything. */
const YEAR_FIRST = /^\s*\d{4}-/

/** A value to be read; it is typed and copied as it is stored. */
export function valueText(field: string, text: string): string {
  const isDate = field === 'date_of_birth' || (isCustom(field) && YEAR_FIRST.test(text))
  return visible(isDate ? formatDate(text) : text)
}

/** Values of one field beside each other. Two spellings of one day are shown as they are: nothing else tells them apart. */
export function valueTexts(field: string, texts: readonly string[]): string[] {
  const read = texts.map((text) => valueText(field, text))
  return new Set(read).size === new Set(texts).size ? read : texts.map(visible)
}
