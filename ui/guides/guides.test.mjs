// The guides name only what exists: files, headings, pictures, words of the window. tests/it checks their commands.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Marked } from 'marked'
import { describe, expect, it } from 'vitest'
import { compilePage, compileText, pathOf, resolveLink, ROOT, toRoute } from './compile.mjs'
import { PAGES } from './contents.mjs'
import { readLicences } from './licences.mjs'
import { describeType, readReference } from './rest.mjs'

/** On a fresh clone, cargo downloads the crates first. */
const DOWNLOADS_MS = 300_000
const own = PAGES.filter(({ file }) => file.startsWith('ui/guides/'))
const textOf = (page) => readFileSync(pathOf(page), 'utf8')

/** Returns the tokens of some types in a Markdown text, at any depth. */
function tokensOf(markdown, types) {
  const found = []
  const marked = new Marked()
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (types.includes(token.type)) found.push(token)
  })
  return found
}

/** Returns what is wrong with the links and pictures of a page. */
export function linkFaults(page, markdown) {
  return tokensOf(markdown, ['link', 'image']).flatMap(({ href }) => {
    if (href.startsWith('https:')) return []
    const { file, anchor } = resolveLink(page, href)
    if (!existsSync(`${ROOT}/${file}`)) return [`${href}: there is no such file`]
    if (anchor === '') return []
    const target = PAGES.find((one) => one.file === file)
    if (target === undefined) return [`${href}: no page of the guide, so its headings are not checked`]
    const text = target.file === page.file ? markdown : textOf(target)
    return compileText(target, text).sections.some(({ id }) => id === anchor)
      ? []
      : [`${href}: there is no such heading`]
  })
}

function readMessages() {
  const folder = `${ROOT}/ui/messages/en`
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'))
  return files.flatMap((name) =>
    Object.values(JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))).flatMap((message) =>
      typeof message === 'string' ? [message] : message.flatMap(({ match }) => Object.values(match)),
    ),
  )
}

/** What a message looks like on the screen. A guide can show only counts in place of a placeholder. */
const patterns = readMessages()
  .map((message) =>
    message.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{(?:shown|count)\}/g, '[\\d,]+'),
  )
  .filter((pattern) => !pattern.includes('{'))
  .map((pattern) => new RegExp(`^${pattern}$`, 'u'))

/** Returns the words in bold that are on no screen. A colon behind them belongs to the sentence. */
export function wordFaults(markdown) {
  const titles = tokensOf(markdown, ['strong']).map(({ text }) => text)
  return titles.filter((title) => !/^[^*]+:$/.test(title) && !patterns.some((pattern) => pattern.test(title)))
}

describe('the guides', () => {
  it.each(PAGES)('link to files, headings and pictures that exist: $id', (page) => {
    expect(linkFaults(page, textOf(page))).toEqual([])
  })

  it.each(own)('name the words of the window: $id', (page) => {
    expect(wordFaults(textOf(page))).toEqual([])
  })

  it('are short, except for the reference', () => {
    for (const page of own.filter(({ group }) => group === 'guides'))
      expect(textOf(page).split('\n').length, page.id).toBeLessThanOrEqual(200)
  })

  it('are all listed, and the build depends on each', () => {
    const files = readdirSync(`${ROOT}/ui/guides`).filter((name) => name.endsWith('.md'))
    expect(own.map(({ file }) => file).toSorted()).toEqual(
      files.map((name) => `ui/guides/${name}`).toSorted(),
    )
    const [, others] = /DOCUMENTS := \$\(addprefix src-tauri\/,([^)]*)\)/.exec(
      readFileSync(`${ROOT}/Makefile`, 'utf8'),
    )
    expect(
      others
        .match(/\S+\.md/g)
        .map((name) => `src-tauri/${name}`)
        .toSorted(),
    ).toEqual(
      PAGES.filter((page) => !own.includes(page))
        .map(({ file }) => file)
        .toSorted(),
    )
  })

  it('have the REST reference of the interface as it is', () => {
    expect(textOf(PAGES.find(({ id }) => id === 'rest')), 'run node ui/guides/rest.mjs').toBe(readReference())
  })
})

describe('the page of licences', () => {
  it('names what is compiled into the programs', { timeout: DOWNLOADS_MS }, () => {
    expect(textOf(PAGES.find(({ id }) => id === 'licences')), 'run node ui/guides/licences.mjs').toBe(
      readLicences(),
    )
  })
})

describe('the checks of the guides', () => {
  const page = PAGES[0]

  it('find what does not exist', () => {
    const text =
      '# A\n\n[a](gone.md) [b](limits.md#gone) ![c](../pictures/gone.png) [d](#b) [e](limits.md)\n\n## B\n'
    expect(linkFaults(page, text)).toEqual([
      'gone.md: there is no such file',
      'limits.md#gone: there is no such heading',
      '../pictures/gone.png: there is no such file',
    ])
    expect(wordFaults('**Import 295 contacts**, **Import**, **Send them away**, **A note:**')).toEqual([
      'Send them away',
    ])
  })

  it('know the anchors of GitHub', () => {
    const { sections } = compileText(page, '# A\n\n## What `x-y` is, & why\n\n## B\n\n### B\n')
    expect(sections.map(({ id }) => id)).toEqual(['', 'what-x-y-is--why', 'b', 'b-1'])
  })
})

describe('a page in the program', () => {
  const [page] = PAGES
  const html = (text) => compileText(page, `# A\n\n${text}\n`).sections[0].html

  it.each([
    ['[a](limits.md#how-much-fits)', '<a href="#/guide/limits/how-much-fits">a</a>'],
    ['[a](../../src-tauri/ops/imports/IMPORT.md)', '<a href="#/guide/importing">a</a>'],
    ['[a](#import-a-file)', '<a href="#/guide/account-manager/import-a-file">a</a>'],
    ['[a](https://example.com/?a=1&b)', '<a href="https://example.com/?a=1&amp;b" data-external>a</a>'],
    ['[a](../../src-tauri/ARCHITECTURE.md)', '<span title="src-tauri/ARCHITECTURE.md">a</span>'],
    ['[a](javascript:alert)', '<span title="ui/guides/javascript:alert">a</span>'],
    ['a <b onclick="x">b</b>', 'a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;'],
  ])('compiles %s', (text, expected) => expect(html(text)).toBe(`<p>${expected}</p>\n`))

  it('has no pictures and no comments', () => {
    expect(html('![a](../pictures/window-light.png)')).toBe('')
    expect(html('<!-- not run -->')).toBe('')
  })

  it('begins with a title', () => {
    for (const one of PAGES) expect(compilePage(one).sections[0], one.id).toMatchObject({ id: '', level: 1 })
    expect(() => compileText(page, '## A\n')).toThrow('does not begin with a title')
    expect(toRoute(page, 'limits.md')).toBe('#/guide/limits')
  })
})

describe('the REST reference', () => {
  it.each([
    [{ type: 'string', minLength: 1, maxLength: 9 }, 'text, 1 to 9 characters'],
    [{ type: ['integer', 'null'], minimum: 0 }, 'whole number, 0 or more or null'],
    [{ anyOf: [{ $ref: '#/components/schemas/List' }, { type: 'null' }] }, '[List](#list) or null'],
    [{ enum: ['ASC', null] }, '`"ASC"` or `null`'],
    [{ type: 'array', items: { type: 'boolean' }, maxItems: 2 }, 'list of true or false, at most 2'],
  ])('describes %o', (schema, expected) => expect(describeType(schema)).toBe(expected))
})
