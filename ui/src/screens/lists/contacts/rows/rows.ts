// Acts on whole rows that need no dialog.
import { call } from '../../../../api/call'
import { m } from '../../../../gen/words'
import type { Intervals } from '../../../../grid/engine/intervals'
import { formatNumber } from '../../../../lib/format'
import { toastUndoableAct } from '../../../../parts/act/act-toast'
import { toWireRows } from '../workspace/source'
import type { Workspace } from '../workspace/workspace.svelte'

/** Deleting more rows than this asks first. */
export const MOST_AT_ONCE = 200
/** From this number of rows on, the user must type it before deleting. */
export const TYPED_FROM = 1_000

export async function deleteRows(
  of: Workspace,
  rows: Intervals,
  at: Workspace['viewPosition'] = of.viewPosition,
): Promise<void> {
  const { count } = await call('grid_delete', { ...at, rows: toWireRows(rows) })
  toastUndoableAct(m.contacts_deleted({ count, shown: formatNumber(count) }))
  await leaveRows(of, rows)
}

/** Chooses a single row after rows have left the view, so that the selection does not cover those that moved up. */
export async function leaveRows(of: Workspace, rows: Intervals): Promise<void> {
  await of.reloadRows()
  of.grid?.go(Math.min(rows.first ?? 0, Math.max(0, of.view.total - 1)))
}
