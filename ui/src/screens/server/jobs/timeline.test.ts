// The arithmetic of a job's timeline: positions, overlaps and keys.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createAxis,
  groupEvents,
  getLast,
  toMoment,
  toPlace,
  snapToDue,
  stepMarker,
  chooseTicks,
} from './time-axis'
import { listPossibleActs, type JobRecord } from './jobs'
import { findDueTimes, findTimelineEnd, listEvents, toIso, toSeconds, findWaitingPeriods } from './timeline'

const AT = toSeconds('2026-01-05T10:00:00Z')
const at = (seconds: number): string => toIso(AT + seconds)

function createRecord(change: Partial<JobRecord> = {}, job: Partial<JobRecord['job']> = {}): JobRecord {
  return {
    job: {
      id: 7,
      list_id: 'LST_1',
      list_name: 'VIP',
      merge_type: 'skipDuplicates',
      callback_url: 'http://127.0.0.1:4010/__hook/orders',
      correlation_id: null,
      contacts: 3,
      done: 0,
      state: 'queued',
      held: true,
      paused: false,
      next_at: null,
      fault: null,
      callback_id: null,
      request: null,
      totals: { imported: 0, merged: 0, skipped: 0, failed: 0 },
      queued_at: at(0),
      finished_at: null,
      ...job,
    },
    forgotten: 0,
    moments: [],
    callback: null,
    clock: { mode: 'frozen', now: at(0), rate: null },
    ...change,
  }
}
const moment = (
  what: JobRecord['moments'][number]['what'],
  second: number,
  contacts = 0,
): JobRecord['moments'][number] => ({
  at: at(second),
  until: at(second),
  what,
  parts: 1,
  first: 0,
  contacts,
  imported: contacts,
  merged: 0,
  skipped: 0,
  failed: 0,
})
const attempt = (number: number, second: number, status: number | null) => ({
  number,
  started_at: at(second),
  finished_at: at(second),
  status,
  error: null,
})

describe('the axis', () => {
  const moments = fc.array(fc.integer({ min: 0, max: 2_000_000_000 }), { maxLength: 300 })
  const least = fc.double({ min: 0, max: 0.2, noNaN: true })

  test('keeps the order, begins at 0 and ends at 1', () => {
    fc.assert(
      fc.property(moments, least, (some, floor) => {
        const axis = createAxis(some, floor)
        expect(toPlace(axis, axis.stops[0] ?? 0)).toBe(0)
        expect(toPlace(axis, getLast(axis))).toBeCloseTo(1, 9)
        for (const [n, place] of axis.places.entries())
          if (n > 0) expect(place).toBeGreaterThan(axis.places[n - 1] ?? 0)
      }),
    )
  })

  test('parts what is near, and knows the moment of each place', () => {
    const axis = createAxis([AT, AT + 1, AT + 3600, AT], 0.04)
    expect(axis.stops).toEqual([AT, AT + 1, AT + 3600])
    expect(toPlace(axis, AT + 1)).toBeGreaterThanOrEqual(0.04)
    for (const second of [0, 1, 60, 3599, 3600])
      expect(toMoment(axis, toPlace(axis, AT + second))).toBe(AT + second)
    expect([toMoment(axis, -1), toMoment(axis, 2)]).toEqual([AT, AT + 3600])
  })

  test('has room for very many', () => {
    const axis = createAxis(
      Array.from({ length: 500 }, (_, n) => AT + n),
      0.04,
    )
    expect(getLast(axis)).toBe(AT + 499)
    expect(toPlace(axis, AT + 250)).toBeCloseTo(250 / 499, 6)
  })

  test('is a line even with one moment, or none', () => {
    expect(createAxis([], 0.1)).toEqual({ stops: [0, 1], places: [0, 1] })
    expect(createAxis([AT], 0.1).stops).toEqual([AT, AT + 1])
  })

  test('shows times where there is room for them', () => {
    const axis = createAxis([AT, AT + 1, AT + 2, AT + 600], 0.04)
    expect(chooseTicks(axis, 0.1).map(({ moment: one }) => one - AT)).toEqual([0])
    expect(
      chooseTicks(createAxis([AT, AT + 300, AT + 600], 0.04), 0.1).map(({ moment: one }) => one - AT),
    ).toEqual([0, 300])
  })

  test('combines what overlaps', () => {
    const axis = createAxis([AT, AT + 1000], 0)
    const groups = groupEvents([{ at: AT + 500 }, { at: AT }, { at: AT + 5 }, { at: AT + 9 }], axis, 0.006)
    expect(groups.map(({ events }) => events.map((event) => event.at - AT))).toEqual([[0, 5], [9], [500]])
    expect(groups.map(({ place }) => place)).toEqual([0, expect.closeTo(0.009), 0.5])
  })

  test('snaps to a due time that is near', () => {
    const axis = createAxis([AT, AT + 1000], 0)
    expect(snapToDue(axis, 0.49, [AT + 500], 0.02) - AT).toBe(500)
    expect(snapToDue(axis, 0.45, [AT + 500], 0.02) - AT).toBe(450)
  })
})

describe('the marker by keys', () => {
  const reach = { now: AT, last: AT + 300, dues: [AT + 60, AT + 120] }
  test('goes by seconds, by minutes and from one due thing to the next', () => {
    expect(stepMarker(AT, 'ArrowRight', reach)).toBe(AT + 1)
    expect(stepMarker(AT + 5, 'ArrowLeft', reach)).toBe(AT + 4)
    expect(stepMarker(AT + 5, 'ArrowRight', reach, { rtl: true })).toBe(AT + 4)
    expect(stepMarker(AT, 'ArrowRight', reach, { coarse: true })).toBe(AT + 60)
    expect(stepMarker(AT, 'PageUp', reach)).toBe(AT + 60)
    expect(stepMarker(AT + 60, 'PageUp', reach)).toBe(AT + 120)
    expect(stepMarker(AT + 120, 'PageDown', reach)).toBe(AT + 60)
    expect(stepMarker(AT + 7, 'Home', reach)).toBe(AT)
    expect(stepMarker(AT, 'End', reach)).toBe(AT + 120)
    expect(stepMarker(AT, 'x', reach)).toBeUndefined()
  })
  test('never goes behind now, nor beyond the line', () => {
    expect(stepMarker(AT, 'ArrowLeft', reach)).toBe(AT)
    expect(stepMarker(AT, 'PageDown', reach)).toBe(AT)
    expect(stepMarker(AT + 299, 'ArrowRight', reach, { coarse: true })).toBe(AT + 300)
  })
})

describe('what stands on the line', () => {
  test('of a job that only waits is its request', () => {
    const events = listEvents(createRecord())
    expect(events.map(({ what }) => what)).toEqual(['requested'])
    expect(findDueTimes(events, AT)).toEqual([])
    expect(findWaitingPeriods(createRecord(), events, AT + 9).map(({ kind, to }) => [kind, to - AT])).toEqual(
      [['waits', 9]],
    )
    expect(findTimelineEnd(events, AT)).toBe(AT + 60)
  })

  test('of one with four tries is each of them, and nothing due once it is given up', () => {
    const tries = [0, 60, 120, 180].map((second, n) => attempt(n + 1, second, n === 3 ? 200 : 500))
    const done = createRecord(
      {
        moments: [moment('part', 0, 3)],
        callback: { id: 1, state: 'delivered', next_at: null, under_way: false, attempts: tries },
      },
      { state: 'done', finished_at: at(0), totals: { imported: 3, merged: 0, skipped: 0, failed: 0 } },
    )
    const events = listEvents(done)
    expect(events.map(({ what, look }) => `${what} ${look}`)).toEqual([
      'requested plain',
      'part good',
      'finished good',
      'attempt bad',
      'attempt bad',
      'attempt bad',
      'attempt good',
    ])
    expect(listPossibleActs(done)).toEqual({ job: [], callback: ['redeliver'] })
  })

  test('are pauses, and what is due next', () => {
    const waiting = createRecord(
      {
        moments: [moment('part', 1, 1), moment('paused', 5), moment('resumed', 25), moment('paused', 30)],
        callback: {
          id: 1,
          state: 'waiting',
          next_at: at(90),
          under_way: false,
          attempts: [attempt(1, 30, null)],
        },
      },
      { next_at: at(60), held: false, paused: true },
    )
    const events = listEvents(waiting)
    expect(findDueTimes(events, AT + 40).map((due) => due - AT)).toEqual([60, 90])
    expect(
      findWaitingPeriods(waiting, events, AT + 40)
        .filter(({ kind }) => kind === 'paused')
        .map(({ from, to }) => [from - AT, to - AT]),
    ).toEqual([
      [5, 25],
      [30, 40],
    ])
    expect(listPossibleActs(waiting)).toEqual({
      job: ['run', 'step', 'resume', 'fail', 'drop'],
      callback: ['redeliver', 'hold', 'cancel'],
    })
  })

  test('of one whose callback came first is its true end', () => {
    const late = createRecord(
      { moments: [moment('announced', 0), moment('part', 30, 3)] },
      { state: 'done', finished_at: at(0) },
    )
    expect(listEvents(late).find(({ what }) => what === 'finished')?.at).toBe(AT + 30)
  })
})
