// The texts of a run, and the values of a refused row that need fixing.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RefusedRow, RunCounts, RunDetails, RunStep } from '../../../api/generated'
import { listAdvice, listFixableValues } from './refused/fixable-values'
import {
  COUNTS,
  describeRun,
  describeTimeLeft,
  countRefusals,
  secondsLeft,
  explainRemains,
  getRunStatus,
  describeRunState,
  describeStepState,
  measureDuration,
  sumCounts,
  findFailedSteps,
  explainUndo,
} from './words'

const NONE: RunCounts = {
  waiting: 0,
  sent: 0,
  accepted: 0,
  verified: 0,
  rejected: 0,
  uncertain: 0,
  cancelled: 0,
}
const run = (change: Partial<RunDetails>): RunDetails => ({
  id: 4,
  plan: 7,
  state: 'running',
  started_at: '2026-11-22T10:00:00Z',
  ended_at: null,
  why: null,
  step_count: 1,
  rows: 10,
  requests: 1,
  refused: 0,
  is_at_work: true,
  steps: [],
  counts: { ...NONE, verified: 4, waiting: 6 },
  lanes: [],
  current: null,
  rows_per_second: null,
  seconds_left: null,
  ...change,
})
const END = '2026-11-22T10:01:00Z'
const describeChanged = (change: Partial<RunDetails>): string => {
  const one = run(change)
  return describeRun(one, getRunStatus(one, null))
}

describe('the status of a run', () => {
  it('follows from its state, whether somebody works on it, and why it stopped', () => {
    const at = (change: Partial<RunDetails>): string => getRunStatus(run(change), null)
    expect(at({})).toBe('working')
    expect(at({ is_at_work: false })).toBe('cut')
    expect(at({ is_at_work: false, state: 'paused' })).toBe('paused')
    expect(at({ is_at_work: false, state: 'paused', why: 'No answer.' })).toBe('stopped')
    expect(at({ is_at_work: false, state: 'done', ended_at: END })).toBe('over')
  })

  it('is shown as waiting if no program works on it', () => {
    expect(describeRunState(run({ is_at_work: false })).title).toBe('Waiting')
    expect(describeRunState(run({})).title).toBe('Running')
  })

  it('is described in one sentence', () => {
    expect(describeChanged({})).toBe('Sending: 4 of 10 rows have arrived')
    expect(describeChanged({ is_at_work: false })).toBe('Interrupted: 4 of 10 rows have arrived')
    expect(describeChanged({ is_at_work: false, state: 'paused', why: 'x' })).toBe(
      'Stopped: 4 of 10 rows have arrived',
    )
    const over = { is_at_work: false, ended_at: END }
    expect(describeChanged({ ...over, state: 'done', counts: { ...NONE, verified: 10 } })).toBe(
      'Done: all 10 rows have arrived',
    )
    expect(describeChanged({ ...over, state: 'done', counts: { ...NONE, verified: 9, rejected: 1 } })).toBe(
      'Done, but 1 row was refused',
    )
    expect(describeChanged({ ...over, state: 'cancelled' })).toBe('Cancelled: 4 of 10 rows have arrived')
    expect(describeChanged({ ...over, state: 'in_doubt' })).toMatch(/^In doubt/)
  })
})

describe('the rows of a run', () => {
  it('are all in the bar', () => {
    const counts = fc.record(
      Object.fromEntries(COUNTS.map(({ id }) => [id, fc.nat(1000)])) as Record<
        keyof RunCounts,
        fc.Arbitrary<number>
      >,
    )
    fc.assert(
      fc.property(counts, (one) => {
        expect(sumCounts(one)).toBe(Object.values(one).reduce((sum, count) => sum + count, 0))
      }),
    )
    expect(COUNTS.map(({ id }) => id).toSorted()).toEqual(Object.keys(NONE).toSorted())
  })
})

const step = (change: Partial<RunStep>): RunStep => ({
  state: 'verified',
  settled: 1,
  reason: null,
  requests: 1,
  trace_id: null,
  id: 1,
  ids: [1],
  operation: 'opt_outs.delete',
  kind: 'opt_out_delete',
  title: '+447700900001 (SMS)',
  rows: 1,
  after: [],
  is_repeatable: true,
  why: 'deleted_here',
  fields: [],
  ...change,
})

describe('what did not arrive', () => {
  const held = step({ id: 2, state: 'rejected', requests: 0, reason: 'Not confirmed.' })
  const refused = step({ id: 3, state: 'rejected', requests: 1, reason: 'No such number.', rows: 2 })
  const ended = (steps: RunStep[], rejected: number): string =>
    describeChanged({
      is_at_work: false,
      ended_at: END,
      state: 'done',
      steps,
      counts: { ...NONE, verified: 1, rejected },
    })

  it('was refused by the service, or held back by Roost, which sent nothing', () => {
    expect(describeStepState(held).title()).toBe('Held back')
    expect(describeStepState(refused).title()).toBe('Refused')
    expect(countRefusals({ counts: { ...NONE, rejected: 3 }, steps: [held, refused] })).toEqual({
      refused: 2,
      held: 1,
    })
    expect(ended([held], 1)).toBe('Done, but 1 row was held back')
    expect(ended([refused], 2)).toBe('Done, but 2 rows were refused')
    expect(ended([held, refused], 3)).toBe('Done, but 2 rows were refused and 1 held back')
  })

  it('is found by its reason', () => {
    const some = step({ id: 4, reason: 'The service skipped 1 of them.' })
    expect(findFailedSteps([step({}), held, refused, some]).map(({ id }) => id)).toEqual([2, 3, 4])
  })
})

describe('what undoing a run means', () => {
  it('follows from what the run did', () => {
    const words = (...kinds: RunStep['kind'][]): string =>
      explainUndo(kinds.map((kind) => ({ kind }))).join(' ')
    expect(words('contacts_create')).toMatch(
      /^Contacts that this run created at the service are also deleted here\. Nothing is sent yet/,
    )
    expect(words('contacts_update')).toMatch(/^Changed values return\./)
    expect(words('list_create', 'link_delete')).toBe('Nothing is sent yet: you see a plan first.')
  })

  it('names what stays as it is', () => {
    const words = (...kinds: RunStep['kind'][]): string[] => explainRemains(kinds.map((kind) => ({ kind })))
    expect(words('contacts_create', 'contact_delete')).toEqual([])
    expect(words('contacts_create', 'list_create', 'opt_out_delete')).toEqual([
      'Lists that this run created stay.',
      'Opt-outs that this run removed stay removed.',
    ])
    expect(words('opt_out_create')).toEqual(['Opt-outs that this run added stay.'])
  })
})

describe('times', () => {
  it('are not guessed while the service has yet to confirm most of what was sent', () => {
    const at = (counts: Partial<RunCounts>) =>
      secondsLeft({ counts: { ...NONE, ...counts }, seconds_left: 9 })
    expect(at({ verified: 2, accepted: 50_000 })).toBeUndefined()
    expect(at({ verified: 2, uncertain: 3, waiting: 9 })).toBeUndefined()
    expect(at({ verified: 40, accepted: 3, waiting: 9 })).toBe(9)
    expect(secondsLeft({ counts: NONE, seconds_left: null })).toBeUndefined()
  })

  it('are shown as exactly as they matter', () => {
    expect([0, 1, 5, 119, 300, 8000].map(describeTimeLeft)).toEqual([
      'nearly done',
      'nearly done',
      'about 5 seconds left',
      'about 2 minutes left',
      'about 5 minutes left',
      'about 2 h 13 min left',
    ])
    expect(measureDuration('2026-11-22T10:00:00Z', '2026-11-22T10:00:01.250Z')).toBe(1250)
    expect(measureDuration('2026-11-22T10:00:00Z', null)).toBeUndefined()
  })
})

describe('a refused row', () => {
  const values: RefusedRow['values'] = [
    { field: 'phone_number', title: 'phone_number', value: '+4477' },
    { field: 'whatsapp_number', title: 'whatsapp_number', value: null },
    { field: 'title', title: 'title', value: 'long' },
  ]

  it('shows the value that is named, with its fault', () => {
    const faults = [{ field: 'title', message: 'too long', advice: 'Shorten it.' }]
    expect(listFixableValues({ values, faults })).toEqual([
      { field: 'title', title: 'title', value: 'long', fault: 'too long' },
    ])
    expect(listAdvice({ values, faults })).toEqual(['Shorten it.'])
  })

  it('shows its numbers where it is refused as a whole', () => {
    const faults = [{ field: null, message: 'Invalid phone number.', advice: 'Correct it.' }]
    expect(listFixableValues({ values, faults }).map(({ field }) => field)).toEqual([
      'phone_number',
      'whatsapp_number',
    ])
    expect(listAdvice({ values, faults: [...faults, ...faults] })).toEqual([
      'Invalid phone number.',
      'Correct it.',
    ])
  })

  it('finds the field in the sentence where nothing else names it', () => {
    const faults = [{ field: null, message: 'title may have at most 30 characters.', advice: 'Shorten it.' }]
    expect(listFixableValues({ values, faults }).map(({ field }) => field)).toEqual(['title'])
    expect(listAdvice({ values, faults })).toEqual(['Shorten it.'])
  })

  it('shows a value that is named but not there as an empty one', () => {
    const faults = [{ field: 'city', message: 'missing', advice: '' }]
    expect(listFixableValues({ values, faults })).toMatchObject([{ field: 'city', value: '' }])
  })
})
