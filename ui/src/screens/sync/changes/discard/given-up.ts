// What becomes of rows whose changes are given up, counted by what was done to them.
import { byKind, type Leaf } from '../tree'
import type { Kind, Row, Summary } from '../types'

export type Loss = Kind

export interface GivenUp {
  count: number
  losses: readonly Pick<Leaf, 'kind' | 'count'>[]
  /** A few of the rows. */
  rows: readonly Row[]
}

const ORDER: readonly Kind[] = ['new', 'changed', 'moved', 'deleted']

export function givenUp(rows: readonly Row[]): GivenUp {
  const losses = ORDER.map((kind) => ({ kind, count: rows.filter((row) => row.kind === kind).length }))
  return { count: rows.length, losses: losses.filter(({ count }) => count > 0), rows }
}

/** Of a whole summary, or of one group of it. */
export function givenUpOf(groups: Summary['groups'], kind: Kind | null, rows: readonly Row[]): GivenUp {
  const losses = byKind({ groups }).filter((one) => kind === null || one.kind === kind)
  return { count: losses.reduce((all, one) => all + one.count, 0), losses, rows }
}
