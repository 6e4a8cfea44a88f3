// The counts before changes are discarded: what is lost, and what remains.
import { describe, expect, it } from 'vitest'
import type { ChangeGroup, ChangeRow } from '../types'
import { previewRows, previewGroups } from './discard-preview'

const row = (noun: ChangeRow['key']['noun'], kind: ChangeRow['kind']): ChangeRow => ({
  key: { noun, id: `${noun} ${kind}` },
  uid: null,
  title: noun,
  kind,
  is_held: false,
  is_conflict: false,
  faults: [],
  cells: [],
  list: null,
  was_in: null,
  source: null,
  at: null,
  step: null,
})
const group = (noun: ChangeGroup['noun'], ...kinds: [ChangeRow['kind'], number][]): ChangeGroup => ({
  noun,
  list: null,
  kinds: kinds.map(([kind, count]) => ({ kind, count, held: 0 })),
})

describe('what is given up', () => {
  it('leaves out the opt-outs that were added here, which stay', () => {
    const groups = [
      group('contact', ['new', 3], ['changed', 1]),
      group('opt_out', ['new', 2], ['deleted', 1]),
    ]
    expect(previewGroups(groups, null, [row('opt_out', 'new'), row('contact', 'new')])).toEqual({
      count: 5,
      losses: [
        { kind: 'new', count: 3, held: 0 },
        { kind: 'changed', count: 1, held: 0 },
        { kind: 'deleted', count: 1, held: 0 },
      ],
      rows: [row('contact', 'new')],
      kept: 2,
    })
    expect(previewGroups(groups, 'deleted', [])).toMatchObject({ count: 1, kept: 0 })
  })

  it('counts chosen rows the same way', () => {
    const all = [row('opt_out', 'new'), row('opt_out', 'deleted'), row('contact', 'changed')]
    expect(previewRows(all)).toMatchObject({ count: 2, kept: 1 })
    expect(previewRows([row('opt_out', 'new')])).toEqual({ count: 0, losses: [], rows: [], kept: 1 })
  })
})
