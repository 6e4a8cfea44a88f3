// The texts of a plan, and the grouping of equal obstacles.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlanBlocked, PlanLine } from '../../../api/generated'
import {
  countCalls,
  listChoices,
  describeDuration,
  describeGate,
  describeGateInput,
  groupBlocked,
  isGateOpened,
  isUnresolvedField,
  stepTitle,
  describeSum,
  toDisplayedGates,
  explainStep,
} from './words'

const step = (change: Partial<PlanLine>): PlanLine => ({
  id: 1,
  ids: [1],
  operation: 'contacts.create',
  kind: 'contacts_create',
  title: 'Spring',
  rows: 1,
  after: [],
  is_repeatable: true,
  why: 'made_here',
  fields: [],
  ...change,
})
const blocked = (change: Partial<PlanBlocked>): PlanBlocked => ({
  key: { noun: 'contact', id: '1' },
  title: 'Contact 1',
  obstacle: 'clearing',
  fields: ['city'],
  count: 1,
  choices: [
    { choice: 'keep_local', calls: 0 },
    { choice: 'replace', calls: 2 },
  ],
  chosen: null,
  ...change,
})

describe('the removals of opt-outs', () => {
  it('are confirmed at once, by their number, and name a channel', () => {
    const gate = { gate: 'opt_out_removal', title: '+447700900001', rows: 1, wanted: '1' } as const
    const steps = ['SMS', 'WhatsApp'].map((channel) =>
      step({ kind: 'opt_out_delete', title: `+447700900001 (${channel})` }),
    )
    const other = { gate: 'list_deletion', title: 'Spring', rows: 9, wanted: 'Spring' } as const
    const shown = toDisplayedGates({ gates: [gate, other, { ...gate, rows: 50, wanted: '50' }], steps })
    expect(shown.map(({ gate: kind, rows, wanted }) => [kind, rows, wanted])).toEqual([
      ['opt_out_removal', 51, '51'],
      ['list_deletion', 9, 'Spring'],
    ])
    expect(shown.map(describeGate)[0]).toContain(
      '51 opt-outs are removed, such as that of +447700900001 (SMS)',
    )
    expect(shown.map(describeGateInput)).toEqual([
      'Type 51, the number of opt-outs to remove, to confirm',
      'Type Spring',
    ])
    expect(toDisplayedGates({ gates: [gate], steps: [] })).toEqual([gate])
  })
})

describe('the time a plan takes', () => {
  it('is shown no more exactly than it is known', () => {
    expect([0, 1, 2, 59, 119, 120, 3599, 7200, 9000].map(describeDuration)).toEqual([
      'within a second',
      'within a second',
      'about 2 seconds',
      'about 59 seconds',
      'about 2 minutes',
      'about 2 minutes',
      'about 60 minutes',
      'about 2 h 0 min',
      'about 2 h 30 min',
    ])
  })

  it('never names sixty minutes beside an hour', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (seconds) => {
        expect(describeDuration(seconds)).not.toMatch(/h 60 min/)
      }),
    )
  })
})

describe('a step', () => {
  it('says what it does, to how many, and why', () => {
    expect(stepTitle(step({ rows: 10_000 }))).toBe('Add 10,000 contacts to “Spring”')
    expect(stepTitle(step({ kind: 'list_delete' }))).toBe('Delete the list “Spring”')
    expect(stepTitle(step({ kind: 'contact_delete', rows: 1 }))).toBe('Delete 1 contact of “Spring”')
    expect(explainStep(step({ why: 'changed_here', fields: ['city', 'whatsapp_number'] }))).toMatch(
      /^Changed here: City and WhatsApp/,
    )
    expect(explainStep(step({}))).toBe('Created here')
    const both = step({ kind: 'contacts_merge', rows: 2, why: 'made_or_changed_here', fields: ['city'] })
    expect(stepTitle(both)).toBe('Add or change 2 contacts in “Spring”')
    expect(explainStep(both)).toBe('Created here, or changed here (City)')
  })

  it('hides no control character of a name', () => {
    expect(stepTitle(step({ kind: 'list_create', title: 'A\u202eB' }))).toContain('A[U+202E]B')
  })

  it('is summed by records, not by calls', () => {
    const steps = [
      step({ kind: 'contacts_update', rows: 1 }),
      step({ kind: 'list_delete', rows: 40 }),
      step({ kind: 'contact_delete', rows: 3, ids: [4, 5, 6] }),
    ]
    expect(describeSum(steps)).toBe('1 change, 4 deletions')
    expect(describeSum(steps.slice(0, 1))).toBe('1 change')
    expect(describeSum(steps.slice(1, 2))).toBe('1 deletion')
  })

  it('counts a call for each of those it stands for', () => {
    expect(countCalls(step({ ids: [1, 2, 3] }))).toBe(3)
    expect(countCalls(step({}))).toBe(1)
  })
})

describe('what the interface cannot do', () => {
  it('is asked about once for similar changes', () => {
    const [first, second, ...rest] = groupBlocked([
      blocked({ count: 3 }),
      blocked({ title: 'Contact 2', key: { noun: 'contact', id: '2' } }),
      blocked({ fields: ['zip'] }),
    ])
    expect(rest).toEqual([])
    expect(first).toMatchObject({ count: 4, titles: ['Contact 1', 'Contact 2'], key: { id: '1' } })
    expect(second).toMatchObject({ count: 1, fields: ['zip'] })
  })

  it('is asked for each list by itself', () => {
    const lists = ['1', '2'].map((id) =>
      blocked({ obstacle: 'rename', key: { noun: 'list', id }, fields: [] }),
    )
    expect(groupBlocked(lists)).toHaveLength(2)
  })

  it('is grouped without losing a record', () => {
    const one = fc.record({
      obstacle: fc.constantFrom<PlanBlocked['obstacle']>('clearing', 'number', 'rename', 'link_edit'),
      count: fc.integer({ min: 1, max: 9 }),
      fields: fc.subarray(['city', 'zip']),
    })
    fc.assert(
      fc.property(fc.array(one), (all) => {
        const sum = (of: readonly { count: number }[]): number =>
          of.reduce((total, { count }) => total + count, 0)
        expect(sum(groupBlocked(all.map(blocked)))).toBe(sum(all))
      }),
    )
  })

  it('offers to decide later first, then each way with its price', () => {
    const titles = listChoices(blocked({})).map(({ title }) => title)
    expect(titles).toEqual([
      'Decide later',
      'Keep it here only (no request)',
      'Create the contact again (2 requests)',
    ])
  })
})

describe('a field that waits for an answer', () => {
  it('is not a change that the service cannot make', () => {
    const obstacles = ['unchecked_field', 'clashing_field', 'clearing', 'conflicts_inside'] as const
    expect(obstacles.map((obstacle) => isUnresolvedField({ obstacle }))).toEqual([true, true, false, false])
  })
})

describe('a gate', () => {
  it('opens for its exact text, and accepts numbers with separators', () => {
    expect(isGateOpened('1204', '1,204')).toBe(true)
    expect(isGateOpened('1204', ' 1 204 ')).toBe(true)
    expect(isGateOpened('Spring', ' Spring')).toBe(true)
    expect(isGateOpened('Spring', 'spring')).toBe(false)
    expect(isGateOpened('A.B', 'AB')).toBe(false)
    expect(isGateOpened('1204', '')).toBe(false)
    expect(isGateOpened('1204', '12040')).toBe(false)
  })

  it('says what is behind it', () => {
    const gate = { title: 'Spring', rows: 412, wanted: '412' }
    expect(describeGate({ ...gate, gate: 'many_deletions' })).toBe(
      '412 contacts of “Spring” are deleted at the service.',
    )
    expect(describeGate({ ...gate, gate: 'list_deletion', rows: 0 })).toBe(
      'The list “Spring” is deleted at the service, with everything in it.',
    )
  })
})
