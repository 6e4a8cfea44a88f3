// The hint while typing; the core decides.
import { characters } from '../../lib/text'

export const NAME_LIMIT = 120

export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'Give the list a name.'
  const over = characters(name) - NAME_LIMIT
  if (over > 0) return `Shorten the name by ${over} ${over === 1 ? 'character' : 'characters'}.`
  return undefined
}
