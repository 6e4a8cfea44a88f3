// Short addresses without their common part, and whether other people can open them.
import type { AddressStatus } from '../../../api/generated'
import { m } from '../../../gen/words'

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** Splits an address into the part that all short links of a server share and the code. */
export function splitAddress(url: string): { common: string; code: string } {
  const shown = withoutScheme(url)
  const end = shown.lastIndexOf('/')
  return end <= 0 ? { common: '', code: shown } : { common: shown.slice(0, end), code: shown.slice(end) }
}

/** Returns the mark of an address that nobody else can open. */
export function describeMark(status: AddressStatus): string | undefined {
  if (status === 'unsent') return m.links_unsent()
  return status === 'this_computer' ? m.links_computer() : undefined
}

export const isLocal = (status: AddressStatus): boolean => status !== 'final'

/** Returns the confirmation for copied addresses, with a warning if nobody else can open them. */
export function describeCopied(statuses: readonly AddressStatus[]): { text: string; isWarning: boolean } {
  const count = statuses.length
  if (statuses.includes('unsent')) return { text: m.links_copied_unsent({ count }), isWarning: true }
  if (statuses.includes('this_computer')) return { text: m.links_copied_computer({ count }), isWarning: true }
  return { text: m.links_copied({ count }), isWarning: false }
}
