// The days that the overview requests.
import { describe, expect, it } from 'vitest'
import { listLastDays, sumLastDays } from './recent-activity.svelte'

describe('the last days', () => {
  it('begin at midnight where the person is, today last', () => {
    const days = listLastDays(new Date(2026, 3, 2, 13, 45), 30).map((day) => new Date(day))
    expect(days).toHaveLength(30)
    expect(days.at(-1)).toEqual(new Date(2026, 3, 2))
    expect(days[0]).toEqual(new Date(2026, 2, 4))
    for (const [at, day] of days.slice(1).entries()) expect(day.getTime()).toBeGreaterThan(Number(days[at]))
  })

  it('are whole seconds, as the core takes them', () => {
    expect(listLastDays(new Date(2026, 0, 1), 1)[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  it('are added up from the last on', () => {
    expect(sumLastDays([5, 1, 2], 2)).toBe(3)
    expect(sumLastDays([7], 2)).toBe(7)
  })
})
