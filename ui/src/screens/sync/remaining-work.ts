// What remains here after a run, with links.
import type { SyncStatus } from '../../api/generated'
import { m } from '../../gen/words'
import { toCountParams } from '../../lib/format'
import { href } from '../../lib/router.svelte'

export interface RemainingWork {
  text: string
  href: string
}

/** Returns what remains, most urgent first. */
export function listRemainingWork({
  changes,
  held,
  conflicts,
}: Pick<SyncStatus, 'changes' | 'held' | 'conflicts'>): RemainingWork[] {
  const toSend = Math.max(changes - held, 0)
  const left: RemainingWork[] = []
  if (conflicts > 0)
    left.push({ text: m.sync_told_conflicts(toCountParams(conflicts)), href: href('sync', 'conflicts') })
  if (toSend > 0)
    left.push({ text: m.sync_told_changes(toCountParams(toSend)), href: href('sync', 'changes') })
  if (held > 0) left.push({ text: m.sync_left_held(toCountParams(held)), href: href('sync', 'changes') })
  return left
}
