// The unsent changes as a tree: list by list, then everything else, each by kind of change. Its counts add up.
import { compareText } from '../../../lib/format'
import type { ChangeGroup, ChangeKind, ChangeNoun, ChangeSummary } from './types'

/** A place in the tree; without a kind, the whole group. */
export interface ChangePlace {
  noun: ChangeNoun
  list: number | null
  kind: ChangeKind | null
}

export interface TreeBranch {
  noun: ChangeNoun
  list: ChangeGroup['list']
  count: number
  held: number
  kinds: readonly TreeLeaf[]
}

export interface TreeLeaf {
  kind: ChangeKind
  count: number
  held: number
}

/** A drawn line of the tree. */
export interface TreeLine {
  id: string
  place: ChangePlace
  branch: TreeBranch
  leaf: TreeLeaf | undefined
  isOpen: boolean
}

/** How much of a branch is sent. */
export type SentPart = 'all' | 'some' | 'none'

const KINDS: readonly ChangeKind[] = ['new', 'changed', 'moved', 'deleted']
const NOUNS: readonly ChangeNoun[] = ['contact', 'list', 'opt_out', 'short_link', 'sender']
/** Up to this many lines, all branches are open initially; with more, only the selected one is. */
const FEW = 24

const sumLeaves = (leaves: readonly TreeLeaf[], of: 'count' | 'held'): number =>
  leaves.reduce((all, leaf) => all + leaf[of], 0)

/** Returns the branches: contacts by list, in the order of names, then lists and records without a list. */
export function toBranches(groups: readonly ChangeGroup[]): TreeBranch[] {
  return groups
    .map(({ noun, list, kinds }) => {
      const leaves = kinds
        .filter(({ count }) => count > 0)
        .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
      return { noun, list, kinds: leaves, count: sumLeaves(leaves, 'count'), held: sumLeaves(leaves, 'held') }
    })
    .filter(({ count }) => count > 0)
    .toSorted(
      (a, b) =>
        NOUNS.indexOf(a.noun) - NOUNS.indexOf(b.noun) ||
        compareText(a.list?.name ?? '', b.list?.name ?? '') ||
        (a.list?.id ?? 0) - (b.list?.id ?? 0),
    )
}

export function toChangePlace(branch: TreeBranch, leaf?: TreeLeaf): ChangePlace {
  return { noun: branch.noun, list: branch.list?.id ?? null, kind: leaf?.kind ?? null }
}

export function toPlaceId({ noun, list, kind }: ChangePlace): string {
  return [noun, list ?? '', kind ?? ''].join(':')
}

/** Returns the visible lines; `turned` has the branches that the user opened or closed. */
export function toLines(
  branches: readonly TreeBranch[],
  chosen: ChangePlace | undefined,
  turned: ReadonlyMap<string, boolean>,
): TreeLine[] {
  const isSmall = branches.length + branches.reduce((all, { kinds }) => all + kinds.length, 0) <= FEW
  return branches.flatMap((branch) => {
    const place = toChangePlace(branch)
    const id = toPlaceId(place)
    const holdsChosen = chosen !== undefined && toPlaceId({ ...chosen, kind: null }) === id
    const isOpen = turned.get(id) ?? (isSmall || holdsChosen)
    const lines: TreeLine[] = [{ id, place, branch, leaf: undefined, isOpen }]
    if (!isOpen) return lines
    for (const leaf of branch.kinds) {
      const of = toChangePlace(branch, leaf)
      lines.push({ id: toPlaceId(of), place: of, branch, leaf, isOpen: false })
    }
    return lines
  })
}

/** Returns the place if it still exists, or else its group, or else the first group. */
export function findNearestPlace(
  branches: readonly TreeBranch[],
  wanted: ChangePlace | undefined,
): ChangePlace | undefined {
  const first = branches[0]
  if (wanted === undefined) return first && toChangePlace(first)
  const group = { ...wanted, kind: null }
  const branch = branches.find((one) => toPlaceId(toChangePlace(one)) === toPlaceId(group))
  if (branch === undefined) return first && toChangePlace(first)
  return branch.kinds.some(({ kind }) => kind === wanted.kind) ? wanted : group
}

export function getSentPart({ count, held }: { count: number; held: number }): SentPart {
  if (held === 0) return 'all'
  return held < count ? 'some' : 'none'
}

/** Counts each kind of change over all groups, because the counts of a summary are per group. */
export function countByKind({ groups }: Pick<ChangeSummary, 'groups'>): TreeLeaf[] {
  const branches = toBranches(groups)
  return KINDS.map((kind) => {
    const leaves = branches.flatMap(({ kinds }) => kinds.filter((leaf) => leaf.kind === kind))
    return { kind, count: sumLeaves(leaves, 'count'), held: sumLeaves(leaves, 'held') }
  }).filter(({ count }) => count > 0)
}

/** The effect of an arrow key: move along the lines, or open or close a branch. */
export type TreeMove = { to: string } | { open: string } | { close: string }

export function moveByKey(
  key: string,
  lines: readonly TreeLine[],
  at: string,
  isRtl = false,
): TreeMove | undefined {
  const index = lines.findIndex(({ id }) => id === at)
  const line = lines[index]
  if (line === undefined) return undefined
  const to = (next: number): TreeMove | undefined => {
    const found = lines[Math.min(Math.max(next, 0), lines.length - 1)]
    return found && { to: found.id }
  }
  const [into, back] = isRtl ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
  if (key === 'ArrowDown') return to(index + 1)
  if (key === 'ArrowUp') return to(index - 1)
  if (key === 'Home') return to(0)
  if (key === 'End') return to(lines.length - 1)
  if (key === into && line.leaf === undefined) return line.isOpen ? to(index + 1) : { open: line.id }
  if (key === back && line.leaf !== undefined) return { to: toPlaceId(toChangePlace(line.branch)) }
  if (key === back && line.isOpen) return { close: line.id }
  return undefined
}
