// The displayed form of values.
import { expect, it } from 'vitest'
import { formatDateValue, formatValue, formatValues } from './values'

it('reads dates alike, and nothing else as a date', () => {
  expect(formatValue('date_of_birth', '31/12/1950')).toBe('Dec 31, 1950')
  expect(formatValue('field_3', '1950-12-31')).toBe('Dec 31, 1950')
  expect(formatValue('field_3', '1.2.1950')).toBe('1.2.1950')
  expect(formatValue('city', '1950-12-31')).toBe('1950-12-31')
  expect(formatValue('date_of_birth', '01/02/1950')).toBe('01/02/1950')
})

it('leaves other spellings than year, month and day in a custom field as typed', () => {
  expect(['22/07/2025', '01/03/2026', '2026-03-01'].map((text) => formatDateValue('field_3', text))).toEqual([
    '22/07/2025',
    '01/03/2026',
    'Mar 1, 2026',
  ])
})

it('distinguishes two spellings of one day where they are beside each other', () => {
  expect(formatValues('date_of_birth', ['31/12/1950', '1950-12-31'])).toEqual(['31/12/1950', '1950-12-31'])
  expect(formatValues('date_of_birth', ['', '1950-12-31'])).toEqual(['', 'Dec 31, 1950'])
  expect(formatValues('date_of_birth', ['31/12/1950', '1951-01-01', '1950-12-31', '1951-01-01'])).toEqual([
    '31/12/1950',
    'Jan 1, 1951',
    '1950-12-31',
    'Jan 1, 1951',
  ])
})
