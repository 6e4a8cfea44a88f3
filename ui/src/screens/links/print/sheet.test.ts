// The layout of a printed sheet.
import { describe, expect, it } from 'vitest'
import { inRows, layoutOf, usualPaper } from './sheet'

describe('a printed sheet', () => {
  it('has rows of so many codes, the last one shorter', () => {
    expect(inRows([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
    expect(inRows([], 3)).toEqual([])
  })

  it('is laid out as it was last, as far as that is known', () => {
    const usual = { paper: 'a4', columns: 3 } as const
    expect(layoutOf({ paper: 'letter', columns: 4 }, usual)).toEqual({ paper: 'letter', columns: 4 })
    expect(layoutOf({ paper: 'a0', columns: '2' }, usual)).toEqual(usual)
  })

  it('is on the paper of the country', () =>
    expect([['en-US', 'de'], ['de', 'en-GB'], ['es-419', 'es-MX'], ['fr-CA']].map(usualPaper)).toEqual([
      'letter',
      'a4',
      'letter',
      'letter',
    ]))
})
