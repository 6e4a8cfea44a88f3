// What is wrong with the name of an account, in the words of people.
import { m } from '../../gen/words'
import { formatNumber } from '../../lib/format'
import { characters } from '../../lib/text'

export const NAME_LIMIT = 60

/** Why the core refused a name; its own words where it had another reason than the length. */
export function nameFault(name: string, message: string): string {
  if (name.trim() === '') return m.accounts_name_missing()
  if (characters(name) > NAME_LIMIT) return m.accounts_name_long({ most: formatNumber(NAME_LIMIT) })
  return message
}
