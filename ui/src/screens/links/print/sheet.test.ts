// The layout of a printed sheet.
import { describe, expect, it } from 'vitest'
import { splitIntoRows, readLayout, choosePaper } from './sheet'

describe('a printed sheet', () => {
  it('has rows of so many codes, the last one shorter', () => {
    expect(splitIntoRows([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
    expect(splitIntoRows([], 3)).toEqual([])
  })

  it('is laid out as it was last, as far as that is known', () => {
    const usual = { paper: 'a4', columns: 3 } as const
    expect(readLayout({ paper: 'letter', columns: 4 }, usual)).toEqual({ paper: 'letter', columns: 4 })
    expect(readLayout({ paper: 'a0', columns: '2' }, usual)).toEqual(usual)
  })

  it('is on the paper of the country', () =>
    expect([['en-US', 'de'], ['de', 'en-GB'], ['es-419', 'es-MX'], ['fr-CA']].map(choosePaper)).toEqual([
      'letter',
      'a4',
      'letter',
      'letter',
    ]))
})
