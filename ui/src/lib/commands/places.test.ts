// Routes, languages, and finding commands.
import { describe, expect, it } from 'vitest'
import { toHtmlTable, toTabSeparated } from '../copy'
import { formatAgo, formatDate, formatMoment } from '../format'
import { scoreMatch, rankMatches } from '../fuzzy'
import { language, formatEnglish } from '../locale.svelte'
import { pseudo } from '../pseudo'
import { href, parseRoute, Router } from '../router.svelte'

describe('router', () => {
  it('reads section, params and query, whatever is in them', () => {
    expect(parseRoute('')).toEqual({ section: 'overview', params: [], query: {} })
    expect(parseRoute('#/lists/a%2Fb/c?new=1&q=x+y')).toEqual({
      section: 'lists',
      params: ['a/b', 'c'],
      query: { new: '1', q: 'x y' },
    })
    expect(parseRoute('#/lists/%zz').params).toEqual(['%zz'])
    expect(parseRoute(href('links', 'ü/?#')).params).toEqual(['ü/?#'])
  })

  it('knows whether back leads anywhere, and reports every move', () => {
    const router = new Router()
    const seen: string[] = []
    router.watch(({ section }) => seen.push(section))
    expect(router.canGoBack).toBe(false)
    router.go(href('lists'))
    router.go(href('lists'))
    router.go('links?tag=a', { replace: true })
    expect(seen).toEqual(['lists', 'links'])
    expect(router.place.query).toEqual({ tag: 'a' })
    expect(router.canGoBack).toBe(true)
    expect(router.canGoForward).toBe(false)
  })
})

describe('fuzzy', () => {
  const titles = ['New list', 'Undo', 'Go to Lists', 'Settings…', 'Éditer la liste']
  const found = (query: string): string[] => rankMatches(query, titles, (title) => title)

  it('puts whole words first and forgives accents and gaps', () => {
    expect(found('list')[0]).toBe('New list')
    expect(found('nl')).toContain('New list')
    expect(found('editer')).toEqual(['Éditer la liste'])
    expect(found('zzz')).toEqual([])
    expect(found('')).toEqual(titles)
  })

  it('prefers the beginning of a word', () => {
    expect(scoreMatch('do', 'do it') ?? 0).toBeGreaterThan(scoreMatch('do', 'undo') ?? 0)
  })
})

describe('pseudo-language', () => {
  it('is accented, in brackets, about 40 % longer, and leaves data alone', () => {
    const text = pseudo(['Created the list “', '”.'], ['Spring'])
    expect(text).toMatch(/^⟦Çŕéåţéð .*Spring.*⟧$/)
    expect(text.length).toBeGreaterThan('Created the list “Spring”.'.length * 1.3)
  })

  it('is what every message says when it is chosen', () => {
    const name = 'Spring'
    expect(formatEnglish`List ${name}`).toBe('List Spring')
    language.speak('ar-XB')
    expect(formatEnglish`List ${name}`).toMatch(/^⟦.*Spring.*⟧$/)
    expect(language.dir).toBe('rtl')
    language.speak('en')
  })
})

describe('clipboard', () => {
  it('quotes what would break a cell, and escapes what would be markup', () => {
    expect(toTabSeparated([['a\tb', 'c"d', 'e']])).toBe('"a\tb"\t"c""d"\te')
    expect(toHtmlTable([['<b>', 'x & y']], ['Name', 'Text'])).toBe(
      '<table><tr><th>Name</th><th>Text</th></tr><tr><td>&lt;b&gt;</td><td>x &amp; y</td></tr></table>',
    )
  })
})

describe('spans of time', () => {
  const now = Date.parse('2026-05-05T12:00:00Z')
  it.each([
    ['2026-05-05T11:59:50Z', 'just now'],
    ['2026-05-05T11:55:00Z', '5 minutes ago'],
    ['2026-05-04T12:00:00Z', 'yesterday'],
  ])('%s is %s', (time, words) => expect(formatAgo(time, now)).toBe(words))
})

describe('dates', () => {
  const at = '2026-11-25T22:33:00'
  const write = (country: string | undefined, dates: typeof language.dates = 'auto'): string => {
    language.follow(country)
    language.dates = dates
    try {
      return `${formatMoment(at)} | ${formatDate('2026-11-25')}`.replaceAll('\u202f', ' ')
    } finally {
      language.follow(undefined)
      language.dates = 'auto'
    }
  }

  it('are written as in the country of the account', () => {
    expect(write('GB')).toBe('25 Nov 2026, 22:33 | 25 Nov 2026')
    expect(write('US')).toBe('Nov 25, 2026, 10:33 PM | Nov 25, 2026')
  })

  it('are written as somebody chose, whatever the country', () => {
    expect(write('GB', 'en-US')).toBe('Nov 25, 2026, 10:33 PM | Nov 25, 2026')
    expect(write('US', 'en-GB')).toBe('25 Nov 2026, 22:33 | 25 Nov 2026')
    expect(write('nowhere')).toBe(write(undefined))
  })
})
