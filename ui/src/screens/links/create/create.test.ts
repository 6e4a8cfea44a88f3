// Reading pasted tables of links, and the messages of the rules for links.
import { describe, expect, it } from 'vitest'
import {
  completeAddress,
  findFaults,
  findTagsFault,
  findTargetFault,
  findTitleFault,
  type LinkDraft,
} from './rule'
import { splitCells, readRows, splitTags } from './table'

describe('a pasted table', () => {
  it('from a spreadsheet has a row each, and its line numbers', () => {
    const rows = readRows(
      'Spring\thttps://shop.example/s\tspring, sale\r\n\r\nAutumn\thttps://shop.example/a\n',
      true,
    )
    expect(rows.map(({ line, title, tags }) => [line, title, tags])).toEqual([
      [1, 'Spring', ['spring', 'sale']],
      [3, 'Autumn', []],
    ])
    expect(rows.every(({ faults, track_clicks }) => Object.keys(faults).length === 0 && track_clicks)).toBe(
      true,
    )
  })

  it('goes by its headings, in any order', () => {
    const [row] = readRows('Tags;URL;Title\na|b;https://shop.example/s;Spring', false)
    expect(row).toMatchObject({
      line: 2,
      title: 'Spring',
      target_url: 'https://shop.example/s',
      tags: ['a', 'b'],
    })
  })

  it('without headings goes by where the address stands', () => {
    expect(readRows('https://shop.example/s,Spring', true)[0]).toMatchObject({ title: 'Spring', faults: {} })
  })

  it('says what is wrong with each row', () => {
    const [row] = readRows('\tshop\ta!b', true)
    expect(Object.keys(row?.faults ?? {})).toEqual(['title', 'target_url', 'tags'])
  })

  it('reads quoted cells with separators, quotes and line ends, and still counts lines', () => {
    expect(splitCells('"a, ""b""\nc",d\ne,f')).toEqual([
      { line: 1, cells: ['a, "b"\nc', 'd'] },
      { line: 3, cells: ['e', 'f'] },
    ])
  })

  it('is empty when nothing was pasted', () => expect(readRows(' \n\t\n', true)).toEqual([]))

  it('may have targets alone where titles are made, with a header or without', () => {
    const make = (draft: LinkDraft): LinkDraft & { faults: Record<string, never> } => ({
      ...draft,
      title: `Made ${draft.title}`,
      faults: {},
    })
    for (const text of [
      'https://shop.example/a\nhttps://shop.example/b',
      'URL\nhttps://shop.example/a\nshop.example/b',
    ]) {
      const rows = readRows(text, true, [], make)
      expect(rows.map(({ title, target_url }) => [title, target_url])).toEqual([
        ['Made ', 'https://shop.example/a'],
        ['Made ', 'https://shop.example/b'],
      ])
    }
  })

  it('merges equal tags', () => expect(splitTags(' a, b;a | ')).toEqual(['a', 'b']))
})

describe('the rules', () => {
  it('count characters as the core does', () => {
    expect(findTitleFault('🐦'.repeat(100))).toBeUndefined()
    expect(findTitleFault('a'.repeat(101))).toMatch(/1 character/)
    expect(findTitleFault('  ')).toMatch(/title/)
  })

  it.each(['http://a', 'https://shop.example/s?q=1#x', 'HTTPS://shop.example', 'http://127.0.0.1:4010/x'])(
    'take %s as a target',
    (good) => expect(findTargetFault(good)).toBeUndefined(),
  )

  it.each([
    '',
    'shop',
    'ftp://a.example',
    'http:',
    'http://',
    'http:shop.example',
    '//shop.example',
    'https:///x',
    'http://shop.example/a b',
    'javascript:alert(1)',
  ])('refuse “%s” as a target', (bad) => expect(findTargetFault(bad)).toMatch(/./))

  it('complete an address without its scheme, and touch nothing else', () => {
    expect(completeAddress(' shop.example/s?q=1 ')).toBe('https://shop.example/s?q=1')
    expect(completeAddress('shop.example:8080')).toBe('https://shop.example:8080')
    for (const kept of [
      'http://a.example',
      'shop',
      'mailto:a@b.example',
      '//shop.example',
      'a b.example',
      '',
    ])
      expect(completeAddress(kept)).toBe(kept)
  })

  it('let tags have letters of any script, and at most ten of them', () => {
    expect(findTagsFault(['Été_1', 'summer sale', 'قائمة'])).toBeUndefined()
    expect(findTagsFault(['a!b'])).toContain('a!b')
    expect(findTagsFault(Array.from({ length: 11 }, (_, at) => `t${at}`))).toMatch(/10/)
  })

  it('find no fault in a valid draft', () =>
    expect(
      findFaults({ title: 'Spring', target_url: 'https://shop.example', tags: [], track_clicks: true }),
    ).toEqual({}))
})
