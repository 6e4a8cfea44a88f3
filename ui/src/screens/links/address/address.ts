// Addresses as people tell them apart: without the part that all of them begin with; and whom they lead to their target.
import type { AddressStatus } from '../../../api/generated'
import { m } from '../../../gen/words'

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** What all short addresses of a server have in common, and the code that differs. */
export function partsOf(url: string): { common: string; code: string } {
  const shown = withoutScheme(url)
  const end = shown.lastIndexOf('/')
  return end <= 0 ? { common: '', code: shown } : { common: shown.slice(0, end), code: shown.slice(end) }
}

/** What stands beside an address that nobody else can open. */
export function markOf(status: AddressStatus): string | undefined {
  if (status === 'unsent') return m.links_unsent()
  return status === 'this_computer' ? m.links_computer() : undefined
}

export const isLocal = (status: AddressStatus): boolean => status !== 'final'

/** What is said of addresses that were copied: whether they are of use to anybody else, too. */
export function copiedWords(statuses: readonly AddressStatus[]): { text: string; isWarning: boolean } {
  const count = statuses.length
  if (statuses.includes('unsent')) return { text: m.links_copied_unsent({ count }), isWarning: true }
  if (statuses.includes('this_computer')) return { text: m.links_copied_computer({ count }), isWarning: true }
  return { text: m.links_copied({ count }), isWarning: false }
}
