// Links from a change to the decision about it, and to the record.
import { href } from '../../../../lib/router.svelte'
import type { RecordKey, ChangeRow } from '../types'

const addRecordQuery = (address: string, { noun, id }: RecordKey): string =>
  `${address}?${new URLSearchParams({ noun, id }).toString()}`

export const conflictHref = (key: RecordKey): string => addRecordQuery(href('sync', 'conflicts'), key)
export const refusedHref = (key: RecordKey): string => addRecordQuery(href('sync', 'runs', 'refused'), key)

/** Returns the link to the record; undefined if it was deleted here. */
export function recordHref({ key, uid, list, kind }: ChangeRow): string | undefined {
  if (kind === 'deleted') return undefined
  if (key.noun === 'contact') return list === null || uid === null ? undefined : href('lists', list.uid, uid)
  if (key.noun === 'list') return uid === null ? undefined : href('lists', uid)
  if (key.noun === 'short_link') return uid === null ? undefined : href('links', uid)
  return href(key.noun === 'opt_out' ? 'optouts' : 'senders')
}
