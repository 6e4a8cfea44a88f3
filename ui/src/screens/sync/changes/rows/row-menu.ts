// The context menu of rows: send, hold or discard them, or all changes of an act or a column.
import { m } from '../../../../gen/words'
import type { MenuEntry } from '../../../../kit/act/menu.svelte'
import { commands } from '../../../../lib/commands/registry.svelte'
import { router } from '../../../../lib/router.svelte'
import { conflictHref, recordHref, refusedHref } from './links'
import type { ChangeRow } from '../types'
import { getFieldTitle } from '../words'

interface RowActs {
  turn: (held: boolean) => void
  discard: () => void
  holdStep: (step: number, held: boolean) => void
  discardStep: (step: number) => void
  holdColumn: (field: string, held: boolean) => void
}
/** More entries would be too many; the dialog has all columns. */
const FIELDS = 4

export function createRowEntries(rows: readonly ChangeRow[], acts: RowActs): MenuEntry[] {
  const [row] = rows
  if (row === undefined) return []
  const getKey = (id: string): string | undefined => commands.written(id)
  const entries: MenuEntry[] = []
  if (rows.some(({ is_held }) => !is_held))
    entries.push({ title: m.changes_hold(), key: getKey('changes.hold'), run: () => acts.turn(true) })
  if (rows.some(({ is_held }) => is_held))
    entries.push({ title: m.changes_send(), key: getKey('changes.hold'), run: () => acts.turn(false) })
  entries.push({
    title: m.changes_discard(),
    key: getKey('changes.discard'),
    danger: true,
    run: acts.discard,
  })
  if (rows.length > 1) return entries
  const { step, cells } = row
  if (cells.length > 0 && row.kind === 'changed') {
    entries.push(undefined)
    for (const cell of cells.slice(0, FIELDS)) {
      const field = getFieldTitle(cell)
      entries.push({
        title: cell.is_held ? m.changes_send_column({ field }) : m.changes_hold_column({ field }),
        run: () => acts.holdColumn(cell.field, !cell.is_held),
      })
    }
  }
  if (step !== null) {
    entries.push(undefined)
    entries.push({
      title: row.is_held ? m.changes_send_step() : m.changes_hold_step(),
      run: () => acts.holdStep(step, !row.is_held),
    })
    entries.push({ title: m.changes_discard_step(), danger: true, run: () => acts.discardStep(step) })
  }
  const ways: MenuEntry[] = []
  if (row.is_conflict)
    ways.push({ title: m.changes_to_conflict(), run: () => router.go(conflictHref(row.key)) })
  if (row.faults.length > 0)
    ways.push({ title: m.changes_to_refused(), run: () => router.go(refusedHref(row.key)) })
  const address = recordHref(row)
  if (address !== undefined) ways.push({ title: m.changes_open(), run: () => router.go(address) })
  return ways.length > 0 ? [...entries, undefined, ...ways] : entries
}
