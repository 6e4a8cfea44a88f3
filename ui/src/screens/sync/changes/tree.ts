// The unsent changes as a tree: list by list, then everything else, each by kind of change. Its counts add up.
import { compareText } from '../../../lib/format'
import type { Group, Kind, Noun, Summary } from './types'

/** A place in the tree; without a kind, the whole group. */
export interface Place {
  noun: Noun
  list: number | null
  kind: Kind | null
}

export interface Branch {
  noun: Noun
  list: Group['list']
  count: number
  held: number
  kinds: readonly Leaf[]
}

export interface Leaf {
  kind: Kind
  count: number
  held: number
}

/** A drawn line of the tree. */
export interface Line {
  id: string
  place: Place
  branch: Branch
  leaf: Leaf | undefined
  isOpen: boolean
}

/** How much of a branch is sent. */
export type Part = 'all' | 'some' | 'none'

const KINDS: readonly Kind[] = ['new', 'changed', 'moved', 'deleted']
const NOUNS: readonly Noun[] = ['contact', 'list', 'opt_out', 'short_link', 'sender']
/** Up to this many lines, all branches are open initially; with more, only the selected one is. */
const FEW = 24

const sum = (leaves: readonly Leaf[], of: 'count' | 'held'): number =>
  leaves.reduce((all, leaf) => all + leaf[of], 0)

/** Returns the branches: contacts by list, in the order of names, then lists and records without a list. */
export function branchesOf(groups: readonly Group[]): Branch[] {
  return groups
    .map(({ noun, list, kinds }) => {
      const leaves = kinds
        .filter(({ count }) => count > 0)
        .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
      return { noun, list, kinds: leaves, count: sum(leaves, 'count'), held: sum(leaves, 'held') }
    })
    .filter(({ count }) => count > 0)
    .toSorted(
      (a, b) =>
        NOUNS.indexOf(a.noun) - NOUNS.indexOf(b.noun) ||
        compareText(a.list?.name ?? '', b.list?.name ?? '') ||
        (a.list?.id ?? 0) - (b.list?.id ?? 0),
    )
}

export function placeOf(branch: Branch, leaf?: Leaf): Place {
  return { noun: branch.noun, list: branch.list?.id ?? null, kind: leaf?.kind ?? null }
}

export function idOf({ noun, list, kind }: Place): string {
  return [noun, list ?? '', kind ?? ''].join(':')
}

/** Returns the visible lines; `turned` has the branches that the user opened or closed. */
export function linesOf(
  branches: readonly Branch[],
  chosen: Place | undefined,
  turned: ReadonlyMap<string, boolean>,
): Line[] {
  const isSmall = branches.length + branches.reduce((all, { kinds }) => all + kinds.length, 0) <= FEW
  return branches.flatMap((branch) => {
    const place = placeOf(branch)
    const id = idOf(place)
    const holdsChosen = chosen !== undefined && idOf({ ...chosen, kind: null }) === id
    const isOpen = turned.get(id) ?? (isSmall || holdsChosen)
    const lines: Line[] = [{ id, place, branch, leaf: undefined, isOpen }]
    if (!isOpen) return lines
    for (const leaf of branch.kinds) {
      const of = placeOf(branch, leaf)
      lines.push({ id: idOf(of), place: of, branch, leaf, isOpen: false })
    }
    return lines
  })
}

/** Returns the place if it still exists, or else its group, or else the first group. */
export function settledPlace(branches: readonly Branch[], wanted: Place | undefined): Place | undefined {
  const first = branches[0]
  if (wanted === undefined) return first && placeOf(first)
  const group = { ...wanted, kind: null }
  const branch = branches.find((one) => idOf(placeOf(one)) === idOf(group))
  if (branch === undefined) return first && placeOf(first)
  return branch.kinds.some(({ kind }) => kind === wanted.kind) ? wanted : group
}

export function partSent({ count, held }: { count: number; held: number }): Part {
  if (held === 0) return 'all'
  return held < count ? 'some' : 'none'
}

/** Counts each kind of change over all groups, because the counts of a summary are per group. */
export function byKind({ groups }: Pick<Summary, 'groups'>): Leaf[] {
  const branches = branchesOf(groups)
  return KINDS.map((kind) => {
    const leaves = branches.flatMap(({ kinds }) => kinds.filter((leaf) => leaf.kind === kind))
    return { kind, count: sum(leaves, 'count'), held: sum(leaves, 'held') }
  }).filter(({ count }) => count > 0)
}

/** The effect of an arrow key: move along the lines, or open or close a branch. */
export type Turn = { to: string } | { open: string } | { close: string }

export function turnOf(key: string, lines: readonly Line[], at: string, isRtl = false): Turn | undefined {
  const index = lines.findIndex(({ id }) => id === at)
  const line = lines[index]
  if (line === undefined) return undefined
  const to = (next: number): Turn | undefined => {
    const found = lines[Math.min(Math.max(next, 0), lines.length - 1)]
    return found && { to: found.id }
  }
  const [into, back] = isRtl ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
  if (key === 'ArrowDown') return to(index + 1)
  if (key === 'ArrowUp') return to(index - 1)
  if (key === 'Home') return to(0)
  if (key === 'End') return to(lines.length - 1)
  if (key === into && line.leaf === undefined) return line.isOpen ? to(index + 1) : { open: line.id }
  if (key === back && line.leaf !== undefined) return { to: idOf(placeOf(line.branch)) }
  if (key === back && line.isOpen) return { close: line.id }
  return undefined
}
