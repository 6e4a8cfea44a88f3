// Compiles the pages of the guide from Markdown to HTML, and gives them to the program as modules.
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked, Renderer } from 'marked'
import { PAGES } from './contents.mjs'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const MODULE = 'virtual:guides'
const WEB_ADDRESS = /^https?:/

export const pathOf = ({ file }) => join(ROOT, file)

const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Returns a function that gives each heading of a page the anchor that GitHub gives it. */
function createAnchors() {
  const seen = new Map()
  return (title) => {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

/** Returns the file of the repository and the anchor to which a link of a page leads. */
export function resolveLink(page, href) {
  const [path = '', anchor = ''] = href.split('#', 2)
  return {
    file: path === '' ? page.file : posix.normalize(posix.join(posix.dirname(page.file), path)),
    anchor,
  }
}

/** Returns the address of a link within the program, if it leads to a page. */
export function toRoute(page, href) {
  const { file, anchor } = resolveLink(page, href)
  const target = PAGES.find((one) => one.file === file)
  return target && `#/guide/${[target.id, ...(anchor === '' ? [] : [anchor])].join('/')}`
}

function createRenderer(page) {
  const usual = new Renderer()
  return {
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      if (WEB_ADDRESS.test(href)) return `<a href="${escape(href)}" data-external>${text}</a>`
      const route = toRoute(page, href)
      // The program contains only the pages; any other file is in the repository.
      return route === undefined
        ? `<span title="${escape(resolveLink(page, href).file)}">${text}</span>`
        : `<a href="${escape(route)}">${text}</a>`
    },
    // The pictures show the window, which the reader of a page in the program is looking at.
    image: () => '',
    paragraph({ tokens }) {
      return tokens.every(({ type }) => type === 'image') ? '' : `<p>${this.parser.parseInline(tokens)}</p>\n`
    },
    // A page has no HTML of its own, except for comments.
    html: ({ text }) => (text.startsWith('<!--') ? '' : escape(text)),
    table(token) {
      usual.parser = this.parser
      const html = usual.table(token)
      return token.header.every(({ text }) => text === '')
        ? html.replace(/<thead>[\s\S]*?<\/thead>/, '')
        : html
    },
  }
}

/** The text of inline tokens, without marks such as backticks. */
function plainText(tokens) {
  return tokens.map((one) => (one.tokens ? plainText(one.tokens) : one.text)).join('')
}

/** Compiles the Markdown of a page. A section begins at each heading; the first one begins with the title of the page
 *  and has no anchor. */
export function compileText(page, markdown) {
  const marked = new Marked({ renderer: createRenderer(page) })
  const anchorOf = createAnchors()
  const sections = []
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const title = plainText(token.tokens)
      const anchor = anchorOf(title)
      sections.push({ id: token.depth === 1 ? '' : anchor, level: token.depth, title, tokens: [] })
    } else sections.at(-1)?.tokens.push(token)
  }
  const [first] = sections
  if (first?.level !== 1) throw new Error(`${page.file} does not begin with a title`)
  return {
    title: first.title,
    sections: sections.map(({ tokens, ...section }) => ({ ...section, html: marked.parser(tokens) })),
  }
}

export const compilePage = (page) => compileText(page, readFileSync(pathOf(page), 'utf8'))

/** The contents as a module: its pages with their headings, each with a function that loads its sections. */
function contentsModule() {
  const rows = PAGES.map((page) => {
    const { title, sections } = compilePage(page)
    const headings = sections
      .filter(({ level }) => level === 2)
      .map((one) => ({ id: one.id, title: one.title }))
    const about = JSON.stringify({ id: page.id, group: page.group, title, headings })
    return `{ ...${about}, load: async () => (await import('${MODULE}/${page.id}')).default }`
  })
  return `export const PAGES = [${rows.join(',\n')}]`
}

/** The plugin for Vite that provides the module `virtual:guides`. */
export const compileGuides = {
  name: 'compile-guides',
  resolveId: (id) => (id === MODULE || id.startsWith(`${MODULE}/`) ? `\0${id}` : undefined),
  load(id) {
    if (id === `\0${MODULE}`) {
      for (const page of PAGES) this.addWatchFile(pathOf(page))
      return contentsModule()
    }
    const page = PAGES.find((one) => id === `\0${MODULE}/${one.id}`)
    if (page === undefined) return undefined
    this.addWatchFile(pathOf(page))
    return `export default ${JSON.stringify(compilePage(page).sections)}`
  },
}
