// The language of the page: which one it is, its texts, and its formats.
import { afterEach, describe, expect, it } from 'vitest'
import { compareText, formatAgo, formatDate, formatList, formatNumber, formatShare } from '../format'
import {
  findLanguage,
  isRightToLeft,
  language,
  formatTranslation,
  readLocale,
  formatEnglish,
  findTranslation,
  withoutIsolates,
} from '../locale.svelte'
import { visible } from '../text'

afterEach(() => {
  language.follow(undefined)
  language.speak('en')
})

const [ISOLATE, LEFT_TO_RIGHT, END] = ['\u2068', '\u2066', '\u2069']

describe('the language of a page', () => {
  it.each([
    [['de-AT', 'en'], 'de'],
    [['ar-EG'], 'ar'],
    [['fr', 'de'], 'de'],
    [['en-GB', 'de'], 'en'],
    [['zh-hant-TW'], 'zh-Hant'],
    [['fr', 'c', ''], undefined],
  ])('for a computer of %s is %s', (wanted, language_) =>
    expect(findLanguage(wanted, ['en', 'de', 'ar', 'zh-Hant'])).toBe(language_),
  )

  it('may be asked for in the address', () => {
    expect(readLocale('?locale=de')).toBe('de')
    expect(readLocale('?other=1')).toBeUndefined()
  })

  it.each([
    ['ar', true],
    ['he-IL', true],
    ['fa', true],
    ['de', false],
    ['en-XA', false],
    ['ar-XB', true],
  ])('%s runs from right to left: %s', (tag, rtl) => expect(isRightToLeft(tag)).toBe(rtl))

  it('is English for a text that it lacks', () => {
    language.speak('de', {
      a: () => 'Liste',
      b: ({ name }: { name: string }) => formatTranslation`Liste „${name}“`,
    })
    expect(findTranslation('a') ?? formatEnglish`List`).toBe('Liste')
    expect(findTranslation('b', { name: 'Mai' }) ?? formatEnglish`List`).toBe('Liste „Mai“')
    expect(findTranslation('c') ?? formatEnglish`List`).toBe('List')
    language.speak('en')
    expect(findTranslation('a') ?? formatEnglish`List`).toBe('List')
  })
})

describe('a right-to-left text', () => {
  it('keeps its data in order', () => {
    language.speak('ar', {})
    expect(formatTranslation`القائمة ${'VIP (2)'}`).toBe(`القائمة ${ISOLATE}VIP (2)${END}`)
    expect(formatTranslation`الرقم ${'+44 7700 900123'}`).toBe(`الرقم ${LEFT_TO_RIGHT}+44 7700 900123${END}`)
    expect(formatTranslation`${7} من ${'1,200'}`).toBe('7 من 1,200')
    expect(formatList(['A', 'B'])).toBe(`${ISOLATE}A${END} و${ISOLATE}B${END}`)
    language.speak('de', {})
    expect(formatTranslation`Liste ${'VIP (2)'}`).toBe('Liste VIP (2)')
  })

  it('shows the marks of a name only where it has none of its own', () => {
    const name = `A${ISOLATE}B${END}`
    expect(visible(name)).toBe('A[U+2068]B[U+2069]')
    language.speak('ar', {})
    expect(visible(formatTranslation`القائمة ${'A'}\u202e`)).toBe(`القائمة ${ISOLATE}A${END}[U+202E]`)
    expect(withoutIsolates(name)).toBe('AB')
  })
})

describe('formats', () => {
  const AT = Date.parse('2026-05-05T12:00:00Z')
  const formats = (locale: string, country?: string): string[] => {
    language.speak(locale, {})
    language.follow(country)
    const share = formatShare(0.25).replace('\u00a0', ' ')
    const ago = formatAgo('2026-05-05T11:55:00Z', AT)
    return [formatNumber(1234567.5), share, formatDate('2026-11-25'), ago, formatList(['a', 'b'])]
  }

  it('are German', () =>
    expect(formats('de', 'GB')).toEqual(['1.234.567,5', '25 %', '25.11.2026', 'vor 5 Minuten', 'a und b']))

  it('are Arabic, with the digits of phone numbers', () => {
    const plain = formats('ar', 'EG').map((text) => text.replaceAll(/[\u200e\u200f\u2066-\u2069]/g, ''))
    expect(plain).toEqual(['1,234,567.5', '25%', '25/11/2026', 'قبل 5 دقائق', 'a وb'])
    expect(formats('ar', 'SA')[2]).toContain('2026')
  })

  it('are of the reader’s English in English', () =>
    expect(formats('en', 'GB').slice(1, 3)).toEqual(['25%', '25 Nov 2026']))

  it('sort by language', () => {
    language.speak('de', {})
    expect(['Zahl', 'Öl', 'Ort', 'apfel'].toSorted(compareText)).toEqual(['apfel', 'Öl', 'Ort', 'Zahl'])
  })
})
