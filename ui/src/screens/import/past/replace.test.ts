// A text is replaced in rejected rows as it was typed, without any character of it being a pattern.
import { describe, expect, it } from 'vitest'
import { replaceInRows } from './replace'

const ROWS = [
  { reject: 4, cells: ['+44 7700 900603 - call after 5', 'Ann - CALL AFTER 5'] },
  { reject: 7, cells: ['07700 900604 (Dave)', ''] },
]
const wanted = { find: ' - call after 5', with: '', column: undefined, isCaseSensitive: false }

describe('a replacement in rejected rows', () => {
  it('changes every cell that has the text', () => {
    expect(replaceInRows(ROWS, wanted)).toEqual([
      { reject: 4, column: 0, text: '+44 7700 900603' },
      { reject: 4, column: 1, text: 'Ann' },
    ])
    expect(replaceInRows(ROWS, { ...wanted, column: 1 })).toEqual([{ reject: 4, column: 1, text: 'Ann' }])
    expect(replaceInRows(ROWS, { ...wanted, isCaseSensitive: true })).toHaveLength(1)
  })
  it('takes both texts as they are', () => {
    expect(replaceInRows(ROWS, { ...wanted, find: ' (Dave)', with: '$&' })).toEqual([
      { reject: 7, column: 0, text: '07700 900604$&' },
    ])
    expect(replaceInRows(ROWS, { ...wanted, find: '' })).toEqual([])
    expect(replaceInRows(ROWS, { ...wanted, find: '.' })).toEqual([])
  })
})
