import { expect, test } from 'vitest'
import { parseDay, writeDay } from './day-text'

test('a day is written and read in the order of the language', () => {
  for (const [tag, text] of [
    ['de-DE', '26.11.2026'],
    ['en-GB', '26/11/2026'],
    ['en-US', '11/26/2026'],
    ['ar-AE', '26/11/2026'],
  ] as const) {
    expect(writeDay('2026-11-26', tag)).toBe(text)
    expect(parseDay(text, tag)).toBe('2026-11-26')
    expect(parseDay('2026-11-26', tag)).toBe('2026-11-26')
  }
  expect(parseDay('٢٦/١١/٢٠٢٦', 'ar-AE')).toBe('2026-11-26')
})

test('a text that is not a valid date is not parsed', () => {
  for (const text of ['', '26.11.', '31.02.2026', '26.11.26', 'yesterday', '1.2.3.2026']) {
    expect(parseDay(text, 'de-DE')).toBeUndefined()
  }
})
