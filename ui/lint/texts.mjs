// Checks that all visible texts of components come from the messages, and that every message is used; exits with 1 and
// lists every breach.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'svelte/compiler'
import { BASE } from '../messages/compile.mjs'

/** Attributes and props of components that users see or hear. */
const SEEN = new Set([
  'title',
  'alt',
  'label',
  'placeholder',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'text',
  'hint',
  'message',
  'advice',
])
const LETTER = /\p{L}/u
/** Addresses are the same in every language. */
const ADDRESS = /https?:\/\/\S*/g

/** Returns the hard-wired texts of a component with their lines. */
export function textsIn(source) {
  const found = []
  const line = (at) => source.slice(0, at).split('\n').length
  const visit = (node, quiet) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach((each) => visit(each, quiet))
    if (node.type === 'Text' && !quiet && LETTER.test(node.data.replaceAll(ADDRESS, ''))) {
      found.push({ line: line(node.start), text: node.data.trim() })
    }
    if (node.type === 'StyleDirective') return
    if (node.type === 'ExpressionTag' && !quiet) literals(node)
    if (node.type === 'Attribute') {
      if (SEEN.has(node.name)) literals(node.value)
      return
    }
    // The program's name and text that is marked as data are the same in every language.
    const untold = quiet || ['Comment', 'Script', 'StyleSheet'].includes(node.type) || isData(node)
    for (const [name, value] of Object.entries(node)) {
      if (name !== 'parent' && name !== 'metadata') visit(value, untold)
    }
  }
  const literals = (value) => {
    if (value === null || typeof value !== 'object') return
    if (Array.isArray(value)) return value.forEach(literals)
    const text = { Text: value.data, Literal: value.value, TemplateElement: value.value?.cooked }[value.type]
    if (typeof text === 'string' && LETTER.test(text.replaceAll(ADDRESS, '')))
      found.push({ line: line(value.start), text })
    if (value.type === 'ExpressionTag') literals(value.expression)
    if (value.type === 'ConditionalExpression') literals([value.consequent, value.alternate])
    if (value.type === 'LogicalExpression') literals([value.left, value.right])
    if (value.type === 'TemplateLiteral') literals(value.quasis)
  }
  visit(parse(source, { modern: true }).fragment, false)
  return found
}

function isData(node) {
  return node.attributes?.some(
    (each) => each.type === 'Attribute' && each.name === 'translate' && each.value?.[0]?.data === 'no',
  )
}

/** Messages that are looked up by a computed key. */
const COMPUTED = new Set(['acts.json', 'errors/core.json'])

/** Returns the messages that no source mentions. */
export function unusedMessages(keys, sources) {
  const used = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []))
  return keys.filter((key) => !used.has(key))
}

const list = (folder) => readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/'))

function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  const sources = list(join(root, 'src')).filter(
    (name) => /\.(?:svelte|ts)$/.test(name) && !name.startsWith('gen/') && !name.endsWith('.test.ts'),
  )
  const files = sources.filter((name) => name.endsWith('.svelte'))
  let breaches = 0
  for (const name of files) {
    for (const { line, text } of textsIn(readFileSync(join(root, 'src', name), 'utf8'))) {
      console.error(`src/${name}:${line}: “${text}” belongs into messages/en`)
      breaches += 1
    }
  }
  const texts = sources.map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  const messages = join(root, 'messages', BASE)
  const looked = list(messages).filter((file) => file.endsWith('.json') && !COMPUTED.has(file))
  for (const name of looked) {
    const keys = Object.keys(JSON.parse(readFileSync(join(messages, name), 'utf8')))
    for (const key of unusedMessages(keys, texts)) {
      console.error(`messages/${BASE}/${name}: nothing uses ${key}; remove it in every language`)
      breaches += 1
    }
  }
  console.log(`${files.length} components, ${breaches} hard-wired or unused texts`)
  process.exitCode = breaches > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
