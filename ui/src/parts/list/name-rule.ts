// The rule for a list's name, checked while typing; the core decides.
import { m } from '../../gen/words'
import { withoutIsolates } from '../../lib/locale.svelte'
import { countCharacters } from '../../lib/text'

export const NAME_LIMIT = 120
export const ALIAS_LIMIT = 120
export const NOTE_LIMIT = 2000

export function findNameFault(name: string): string | undefined {
  if (name.trim() === '') return m.lists_name_missing()
  const over = countCharacters(name) - NAME_LIMIT
  if (over > 0) return m.lists_name_over({ over })
  return undefined
}

/** Shortens a base name to `limit` characters, so that a suggestion made from it is never too long. */
export function shortenName(name: string, limit: number): string {
  const plain = withoutIsolates(name)
  return countCharacters(plain) <= limit ? plain : `${[...plain].slice(0, limit - 1).join('')}…`
}
