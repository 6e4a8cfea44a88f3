// The displayed form of values on both sides.
import { expect, it } from 'vitest'
import { formatValue } from './words'

const fork = (base: string | null, mine: string | null, theirs: string | null) => ({
  field: 'date_of_birth',
  title: 'Date of birth',
  base,
  mine,
  theirs,
  answer: null,
})

it('writes dates alike, unless the sides differ in nothing but their spelling', () => {
  const days = fork(null, '31/12/1999', '2000-01-01')
  expect(formatValue(days, days.mine)).toBe('Dec 31, 1999')
  expect(formatValue(days, days.theirs)).toBe('Jan 1, 2000')
  const spellings = fork('1999-12-31', '31/12/1999', '31.12.1999')
  expect(formatValue(spellings, spellings.mine)).toBe('31/12/1999')
  expect(formatValue(spellings, null)).toBe('blank')
})
