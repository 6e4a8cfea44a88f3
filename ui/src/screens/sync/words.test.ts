// What a pull brought, in words.
import { describe, expect, it } from 'vitest'
import type { PullSummary } from '../../api/generated'
import { isOfLastReading, describePull } from './words'

const NOTHING: PullSummary = {
  at: '2026-11-26T08:00:00Z',
  added: 0,
  changed: 0,
  removed: 0,
  conflicts: 0,
  beside: [],
  aside: 0,
  lists: [],
  doubtful: [],
  gone: [],
  drifting: [],
  unnamed: 0,
  brought_back: 0,
  restored: [],
  missing_lists: [],
  removed_lists: [],
  removed_links: [],
}

describe('what a pull brought', () => {
  it('names the lists that were removed, which are not new or changed', () => {
    const removed_lists = [{ name: 'messy', contacts: 568 }]
    const beside: PullSummary['beside'] = [{ noun: 'list', count: 1 }]
    expect(describePull({ ...NOTHING, beside, removed_lists })).toBe(
      'list “messy” with 568 contacts removed (no longer at the service)',
    )
    expect(
      describePull({
        ...NOTHING,
        beside: [{ noun: 'list', count: 6 }],
        removed_lists: Array.from({ length: 4 }, (_, n) => ({ name: `List ${n}`, contacts: 1 })),
      }),
    ).toBe('4 lists removed (no longer at the service) and 2 lists new or changed')
  })

  it('names the short links that were removed', () => {
    const beside: PullSummary['beside'] = [{ noun: 'short_link', count: 3 }]
    expect(describePull({ ...NOTHING, beside, removed_links: ['Spring sale'] })).toBe(
      'short link “Spring sale” removed (no longer at the service) and 2 short links new or changed',
    )
  })

  it('is not told as of a later reading', () => {
    expect(isOfLastReading(NOTHING, '2026-11-26T07:59:58Z')).toBe(true)
    expect(isOfLastReading(NOTHING, '2026-11-26T08:00:00Z')).toBe(true)
    expect(isOfLastReading(NOTHING, '2026-11-26T08:06:00Z')).toBe(false)
  })
})
