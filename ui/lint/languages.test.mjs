// A language that lacks or changes what a message needs must be found, and a good one accepted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findLanguages } from '../messages/compile.mjs'
import { breachesIn, faultsOf, isSame } from './languages.mjs'

const forms = (match, inputs = ['n', 'count']) => [
  {
    declarations: [...inputs.map((name) => `input ${name}`), 'local many = n: plural'],
    selectors: ['many'],
    match: Object.fromEntries(Object.entries(match).map(([when, text]) => [`many=${when}`, text])),
  },
]
const ROWS = forms({ one: '{count} row', other: '{count} rows' })

describe('a translation', () => {
  it.each([
    ['Liste „{name}“', 'List “{name}”', 'de'],
    [forms({ one: '{count} Zeile', other: '{count} Zeilen' }), ROWS, 'de'],
    [forms({ one: 'eine Zeile', other: '{count} Zeilen' }), ROWS, 'de'],
    [forms({ '*': '{count} 行' }), ROWS, 'de'],
    ['{count} 行', ROWS, 'ja'],
    [
      forms({
        zero: 'لا',
        one: 'صف',
        two: 'صفان',
        few: '{count} صفوف',
        many: '{count} صفا',
        other: '{count} صف',
      }),
      ROWS,
      'ar',
    ],
  ])('is good: %o', (message, english, locale) => expect(faultsOf(message, english, locale)).toEqual([]))

  it.each([
    ['Liste', 'List “{name}”', 'de', '{name} is missing'],
    ['Liste {nmae}', 'List {name}', 'de', 'English has no {nmae}'],
    ['{count} Zeilen', ROWS, 'de', 'forms for different numbers'],
    [forms({ one: '{count} Zeile' }), ROWS, 'de', 'plural form “other” is missing'],
    [forms({ one: 'صف', other: '{count} صف' }), ROWS, 'ar', 'plural form “few” is missing'],
    [forms({ one: '{count} a', few: '{count} b', other: '{count} c' }), ROWS, 'de', 'no plural form “few”'],
    ['Öffnen', 'Open…', 'de', '“…” at the end'],
    ['Zeile', 'One\nTwo', 'de', '1 lines instead of 2'],
    ['Siehe dort', 'See https://shop.example/a', 'de', 'https://shop.example/a is missing'],
    [' Liste', 'List', 'de', 'space'],
    ['Liste {name', 'List {name}', 'de', 'brace'],
  ])('is refused: %o', (message, english, locale, fault) =>
    expect(faultsOf(message, english, locale).join()).toContain(fault),
  )

  it('has the other cases of its message, too', () => {
    const english = [
      {
        declarations: ['input kind'],
        selectors: ['kind'],
        match: { 'kind=a': 'Of A', 'kind=b': 'Of B {x}' },
      },
    ]
    const own = [{ ...english[0], match: { 'kind=a': 'Von A {x}' } }]
    expect(faultsOf(own, english, 'de')).toEqual(['the form for “kind=b” is missing'])
  })

  it('is not the English text', () => {
    expect(isSame('Name', 'Name')).toBe(true)
    expect(isSame('{a} / {b}', '{a} / {b}')).toBe(false)
    expect(isSame('Namen', 'Name')).toBe(false)
  })
})

describe('a language', () => {
  const english = { 'a.json': { a_name: 'Name', a_list: 'List' } }
  const breaches = (messages, ...same) => breachesIn(messages, english, 'de', new Set(same))

  it('has every message and no other', () => {
    expect(breaches({ 'a.json': { a_name: 'Name', a_list: 'Liste' } }, 'a_name')).toEqual([])
    expect(breaches({ 'a.json': { a_list: 'Liste', a_old: 'Alt' }, 'b.json': {} })).toEqual([
      'b.json: English has no such file',
      'a.json: a_old is no message of English',
      'a.json: a_name is missing',
    ])
  })

  it('names what is the same as in English, and only that', () => {
    expect(breaches({ 'a.json': { a_name: 'Name', a_list: 'Liste' } })).toEqual([
      expect.stringContaining('a_name is not translated'),
    ])
    expect(breaches({ 'a.json': { a_name: 'Namen', a_list: 'Liste' } }, 'a_name', 'a_gone')).toEqual([
      '../untranslated/de.txt: a_name differs from English; take it out',
      '../untranslated/de.txt: a_gone is no message of English',
    ])
  })
})

describe('languages', () => {
  it('are the folders that are named by a tag, whatever else is there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'roost-languages-'))
    try {
      for (const name of ['en', 'pt-BR', 'zh-Hans', 'es-419', 'untranslated', 'project.inlang'])
        mkdirSync(join(folder, name))
      writeFileSync(join(folder, 'fr'), '')
      expect(findLanguages(folder)).toEqual(['en', 'es-419', 'pt-BR', 'zh-Hans'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
