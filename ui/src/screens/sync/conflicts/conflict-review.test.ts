// Which conflict is selected after a decision.
import { expect, it, vi } from 'vitest'
import { ConflictReview } from './conflict-review.svelte'
import type { ConflictChoice, ConflictRow } from './types'

let rows: ConflictRow[] = []
const lost = (id: string, choice: ConflictChoice | null = null): ConflictRow => ({
  key: { noun: 'opt_out', id },
  uid: null,
  title: `Opt-out ${id}`,
  list: null,
  dispute: 'opt_out_gone',
  forks: [],
  agreed: [],
  rows: null,
  contacts: null,
  choice,
})

/** Stands in for the core, which drops a removed opt-out and keeps one that waits for the next plan. */
vi.mock('../../../api/call', () => ({
  call: (name: string, { key, choice }: { key: ConflictRow['key']; choice: ConflictChoice | null }) => {
    if (name === 'conflicts_choose')
      rows =
        choice === 'let_go'
          ? rows.filter((row) => row.key.id !== key.id)
          : rows.map((row) => (row.key.id === key.id ? { ...row, choice } : row))
    return Promise.resolve({ rows, total: rows.length, fields: [], left: rows.length })
  },
}))

async function decide(all: ConflictRow[], at: number, choice: ConflictChoice | null): Promise<string> {
  rows = all
  const review = new ConflictReview()
  const row = all[at] as ConflictRow
  await review.find(row.key)
  await review.decide(row, choice)
  return review.row?.key.id ?? ''
}

it('is the second lost opt-out, whether the first was removed or waits for the next plan', async () => {
  expect(await decide([lost('a'), lost('b')], 0, 'let_go')).toBe('b')
  expect(await decide([lost('a'), lost('b')], 0, 'create_again')).toBe('b')
})

it('is the next open conflict, and none is skipped', async () => {
  expect(await decide([lost('a'), lost('b'), lost('c')], 0, 'let_go')).toBe('b')
  expect(await decide([lost('a'), lost('b'), lost('c')], 1, 'let_go')).toBe('c')
  expect(await decide([lost('a'), lost('b', 'create_again'), lost('c')], 0, 'let_go')).toBe('c')
})

it('stays the same after a decision was taken back', async () => {
  expect(await decide([lost('a', 'create_again'), lost('b')], 0, null)).toBe('a')
})
