// Clicks as bars and shares.
import { describe, expect, it } from 'vitest'
import { toBars, toOfferedDays, findLargest } from './series'

const daysFrom = (count: number): { day: string; clicks: number }[] =>
  Array.from({ length: count }, (_, at) => ({
    day: new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
    clicks: 1,
  }))

describe('bars', () => {
  it('stand for a day each while they fit', () => {
    const bars = toBars(daysFrom(90))
    expect(bars).toHaveLength(90)
    expect(bars[0]?.label).toMatch(/1/)
  })

  it('stand for a week each in a year, and lose no click', () => {
    const bars = toBars(daysFrom(365))
    expect(bars).toHaveLength(53)
    expect(bars.at(-1)?.value).toBe(7)
    expect(bars.reduce((sum, { value }) => sum + value, 0)).toBe(365)
  })
})

it('the days offered are the ones nearest above what was kept', () =>
  expect([1, 7, 8, 400].map(toOfferedDays)).toEqual([7, 7, 30, 365]))

describe('shares', () => {
  const parts = ['a', 'b', 'c', 'd'].map((name, at) => ({ name, clicks: at }))

  it('come largest first, the rest together', () => {
    const { shown, rest } = findLargest(parts, 2)
    expect(shown.map(({ name }) => name)).toEqual(['d', 'c'])
    expect(rest).toHaveLength(2)
  })

  it('leave nothing out where one line would be saved', () => expect(findLargest(parts, 3).rest).toEqual([]))
})
