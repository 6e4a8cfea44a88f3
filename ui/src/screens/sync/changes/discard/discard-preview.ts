// The consequences of discarding changes, counted by kind of change, and what remains anyway.
import { countByKind, type TreeLeaf } from '../tree'
import type { ChangeGroup, ChangeKind, ChangeRow } from '../types'

export type DiscardLoss = ChangeKind

export interface DiscardPreview {
  count: number
  losses: readonly Pick<TreeLeaf, 'kind' | 'count'>[]
  /** A few of the rows. */
  rows: readonly ChangeRow[]
  /** The number of opt-outs that were added here; only a removal with a reason ends them. */
  kept: number
}

const ORDER: readonly ChangeKind[] = ['new', 'changed', 'moved', 'deleted']
const isAdded = ({ kind, key }: ChangeRow): boolean => key.noun === 'opt_out' && kind === 'new'

export function previewRows(all: readonly ChangeRow[]): DiscardPreview {
  const rows = all.filter((row) => !isAdded(row))
  const losses = ORDER.map((kind) => ({ kind, count: rows.filter((row) => row.kind === kind).length }))
  const kept = all.length - rows.length
  return { count: rows.length, losses: losses.filter(({ count }) => count > 0), rows, kept }
}

/** Counts the changes of groups, of one kind or of all. */
export function previewGroups(
  groups: readonly ChangeGroup[],
  kind: ChangeKind | null,
  rows: readonly ChangeRow[],
): DiscardPreview {
  const meant = groups.map((group) => ({
    ...group,
    kinds: group.kinds.filter((one) => kind === null || one.kind === kind),
  }))
  const added = meant.filter(({ noun }) => noun === 'opt_out').flatMap(({ kinds }) => kinds)
  const kept = added.filter((one) => one.kind === 'new').reduce((all, one) => all + one.count, 0)
  const losses = countByKind({
    groups: meant.map((group) =>
      group.noun === 'opt_out' ? { ...group, kinds: group.kinds.filter((one) => one.kind !== 'new') } : group,
    ),
  })
  const count = losses.reduce((all, one) => all + one.count, 0)
  return { count, losses, rows: rows.filter((row) => !isAdded(row)), kept }
}
