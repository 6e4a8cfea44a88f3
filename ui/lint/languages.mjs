// Checks that every language has exactly the messages of English, with their data and all its plural forms; exits with
// 1 and lists every breach.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BASE, findLanguages } from '../messages/compile.mjs'

const PLACEHOLDER = /\{(\w+)\}/g
const ADDRESS = /https?:\/\/[^\s“”"«»„)،,;\u2066-\u2069]*[^\s“”"«»„)،,;.…\u2066-\u2069]/g
/** The folder of the lists of messages that are the same as in English, one file for each language. */
const UNTRANSLATED = 'untranslated'

const sortedUnique = (items) => [...new Set(items)].toSorted()
const found = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

/** Takes a message apart: what it is given, and its forms with the values that select each. */
function partsOf(message) {
  if (typeof message === 'string')
    return { inputs: [], plurals: new Set(), forms: [{ when: {}, text: message }] }
  const inputs = []
  const plurals = new Set()
  for (const declaration of message.flatMap(({ declarations }) => declarations)) {
    const [, kind, name] = /^(input|local) (\w+)/.exec(declaration) ?? []
    if (kind === 'input') inputs.push(name)
    if (declaration.endsWith(': plural')) plurals.add(name)
  }
  const forms = message
    .flatMap(({ match }) => Object.entries(match))
    .map(([when, text]) => ({
      when: Object.fromEntries(when.split(',').map((each) => each.trim().split('='))),
      text,
    }))
  return { inputs, plurals, forms }
}

/** Groups the forms of a message by everything that selects them, except the number. */
function caseGroups({ forms, plurals }) {
  const groups = new Map()
  for (const { when, text } of forms) {
    const others = Object.entries(when).filter(([name]) => !plurals.has(name))
    const group = others.map(([name, value]) => `${name}=${value}`).toSorted().join(', ') // prettier-ignore
    const categories = Object.entries(when).flatMap(([name, value]) => (plurals.has(name) ? [value] : []))
    const known = groups.get(group) ?? { texts: [], categories: new Set() }
    known.texts.push(text)
    for (const category of categories) known.categories.add(category)
    groups.set(group, known)
  }
  return groups
}

/** Returns what is wrong with the translation of one message. */
export function faultsOf(message, english, locale) {
  const [its, base] = [partsOf(message), partsOf(english)]
  const given = new Set([...base.inputs, ...base.forms.flatMap(({ text }) => found(text, PLACEHOLDER))])
  const faults = sortedUnique([...its.inputs, ...its.forms.flatMap(({ text }) => found(text, PLACEHOLDER))])
    .filter((name) => !given.has(name))
    .map((name) => `English has no {${name}}`)
  const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions()
  if (base.plurals.size > 0 && its.plurals.size === 0 && pluralCategories.length > 1)
    faults.push('the forms for different numbers are missing')
  const groups = caseGroups(its)
  for (const [group, { texts }] of caseGroups(base)) {
    const own = groups.get(group)
    if (own === undefined) {
      faults.push(`the form for “${group}” is missing`)
      continue
    }
    const missing = (pattern) => {
      const has = new Set(own.texts.flatMap((text) => found(text, pattern)))
      return sortedUnique(texts.flatMap((text) => found(text, pattern))).filter((each) => !has.has(each))
    }
    faults.push(...missing(PLACEHOLDER).map((name) => `{${name}} is missing`))
    faults.push(...missing(ADDRESS).map((address) => `${address} is missing`))
    const [lines, ownLines] = [texts, own.texts].map((all) => (all[0] ?? '').split('\n').length)
    if (lines !== ownLines) faults.push(`it has ${ownLines} lines instead of ${lines}`)
    if (texts.every((text) => text.endsWith('…')) !== own.texts.every((text) => text.endsWith('…')))
      faults.push('“…” at the end stands for a question that follows; have it where English has it')
  }
  for (const [group, { categories }] of groups) {
    if (its.plurals.size === 0 || categories.has('*')) continue
    const where = group === '' ? '' : ` of “${group}”`
    for (const category of pluralCategories)
      if (!categories.has(category)) faults.push(`the plural form “${category}”${where} is missing`)
    for (const category of categories)
      if (!pluralCategories.includes(category)) faults.push(`${locale} has no plural form “${category}”`)
  }
  for (const { text } of its.forms) {
    if (text.trim() === '' || text.trim() !== text) faults.push('it begins or ends with a space, or is empty')
    if (text.replaceAll(PLACEHOLDER, '').search(/[{}]/) !== -1) faults.push('a brace is not closed')
  }
  return [...new Set(faults)]
}

/** Returns whether a translation says the same as English although it has letters of its own. */
export function isSame(message, english) {
  const texts = (each) =>
    partsOf(each)
      .forms.map(({ text }) => text)
      .join('\n')
  const words = texts(english).replaceAll(PLACEHOLDER, '').replaceAll(ADDRESS, '')
  return /\p{L}/u.test(words) && texts(message) === texts(english)
}

/** Returns the breaches of one language, given as file name to messages, and the keys that may be as in English. */
export function breachesIn(files, english, locale, same) {
  const breaches = []
  const list = `../${UNTRANSLATED}/${locale}.txt`
  for (const name of Object.keys(files))
    if (english[name] === undefined) breaches.push(`${name}: English has no such file`)
  for (const [name, messages] of Object.entries(english)) {
    const own = files[name] ?? {}
    for (const key of Object.keys(own))
      if (messages[key] === undefined) breaches.push(`${name}: ${key} is no message of English`)
    for (const [key, text] of Object.entries(messages)) {
      if (own[key] === undefined) {
        breaches.push(`${name}: ${key} is missing`)
        continue
      }
      breaches.push(...faultsOf(own[key], text, locale).map((fault) => `${name}: ${key}: ${fault}`))
      const isAlike = isSame(own[key], text)
      if (isAlike && !same.has(key))
        breaches.push(`${name}: ${key} is not translated; if it is the same word, name it in ${list}`)
      if (!isAlike && same.has(key)) breaches.push(`${list}: ${key} differs from English; take it out`)
    }
  }
  const known = new Set(Object.values(english).flatMap((messages) => Object.keys(messages)))
  for (const key of same) if (!known.has(key)) breaches.push(`${list}: ${key} is no message of English`)
  return breaches
}

function read(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'))
  const pairs = names.map((name) => [
    name.replaceAll('\\', '/'),
    JSON.parse(readFileSync(join(folder, name), 'utf8')),
  ])
  return Object.fromEntries(pairs)
}

function main() {
  const root = join(dirname(dirname(fileURLToPath(import.meta.url))), 'messages')
  const english = read(join(root, BASE))
  const others = findLanguages(root).filter((locale) => locale !== BASE)
  let breaches = 0
  for (const locale of others) {
    const list = join(root, UNTRANSLATED, `${locale}.txt`)
    const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
    const same = new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
    for (const breach of breachesIn(read(join(root, locale)), english, locale, same)) {
      console.error(`messages/${locale}/${breach}`)
      breaches += 1
    }
  }
  console.log(`${others.length} languages besides English, ${breaches} breaches`)
  process.exitCode = breaches > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
