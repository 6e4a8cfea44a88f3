// Explains why an account's name is invalid.
import { m } from '../../gen/words'
import { formatNumber } from '../../lib/format'
import { countCharacters } from '../../lib/text'

export const NAME_LIMIT = 60

/** Returns why the core refused a name; the core's own message if the reason is not the length. */
export function explainNameFault(name: string, message: string): string {
  if (name.trim() === '') return m.accounts_name_missing()
  if (countCharacters(name) > NAME_LIMIT) return m.accounts_name_long({ most: formatNumber(NAME_LIMIT) })
  return message
}
