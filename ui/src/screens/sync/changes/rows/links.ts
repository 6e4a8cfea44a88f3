// Ways from a change to where something is to be decided about it, and to the record itself.
import { href } from '../../../../lib/router.svelte'
import type { RecordKey, Row } from '../types'

const queried = (address: string, { noun, id }: RecordKey): string =>
  `${address}?${new URLSearchParams({ noun, id }).toString()}`

export const conflictHref = (key: RecordKey): string => queried(href('sync', 'conflicts'), key)
export const refusedHref = (key: RecordKey): string => queried(href('sync', 'runs', 'refused'), key)

/** Where the record itself is; what is deleted here is nowhere. */
export function recordHref({ key, uid, list, kind }: Row): string | undefined {
  if (kind === 'deleted') return undefined
  if (key.noun === 'contact') return list === null || uid === null ? undefined : href('lists', list.uid, uid)
  if (key.noun === 'list') return uid === null ? undefined : href('lists', uid)
  if (key.noun === 'short_link') return uid === null ? undefined : href('links', uid)
  return href(key.noun === 'opt_out' ? 'optouts' : 'senders')
}
