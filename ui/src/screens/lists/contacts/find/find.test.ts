// Row numbers as people write them.
import { describe, expect, it } from 'vitest'
import { parseRowNumber } from './row-number'

describe('the number of a row', () => {
  it('is read with and without separators', () => {
    for (const text of ['999999', '999,999', '999.999', ' 999 999 ', '999’999'])
      expect([text, parseRowNumber(text, 1_000_000)]).toEqual([text, 999_999])
  })
  it('stands between the first and the last', () => {
    expect(parseRowNumber('0', 5)).toBeUndefined()
    expect(parseRowNumber('1', 5)).toBe(1)
    expect(parseRowNumber('5', 5)).toBe(5)
    expect(parseRowNumber('6', 5)).toBeUndefined()
    expect(parseRowNumber('-1', 5)).toBeUndefined()
    expect(parseRowNumber('', 5)).toBeUndefined()
    expect(parseRowNumber('two', 5)).toBeUndefined()
  })
})
