// Checks that no message contains a word that messages/VOCABULARY.md refuses; exits with 1 and lists every breach.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BASE } from '../messages/compile.mjs'

const ROW = /^\|([^|]+)\|([^|]+)\|([^|]+)\|$/
/** Placeholders of a message, and addresses. */
const DATA = /\{\w+\}|https?:\/\/\S+/g
/** A refused word, and the keys of the messages that may contain it. */
const REFUSED = /([^,(]+?)\s*(?:\(([^)]*)\))?\s*(?:,|$)/g

/** Returns the refused words of a table, each with the word to use instead. */
export function refusedWords(table) {
  const rows = table.split('\n').flatMap((line) => {
    const [, word, , refused] = ROW.exec(line) ?? []
    return refused === undefined || /^-+$/.test(word.trim()) ? [] : [{ use: word.trim(), refused }]
  })
  const [, ...words] = rows
  if (words.length === 0) throw new Error('messages/VOCABULARY.md has no table of three columns')
  return words.flatMap(({ use, refused }) =>
    [...refused.matchAll(REFUSED)].map(([, word, keys = '']) => ({
      use,
      word: word.trim(),
      allowed: new Set([...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key)),
    })),
  )
}

/** Returns the texts of a message: one, or one for each of its forms. */
function textsOf(message) {
  return typeof message === 'string' ? [message] : message.flatMap(({ match }) => Object.values(match))
}

const asWord = (word) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${word.replaceAll(/\s+/g, '\\s+')}(?![\\p{L}\\p{N}_])`, 'iu')

/** Returns the breaches in one file of messages. */
export function breachesOf(messages, refused) {
  const tests = refused.map((one) => ({ ...one, pattern: asWord(one.word) }))
  return Object.entries(messages).flatMap(([key, message]) => {
    const texts = textsOf(message).map((text) => text.replaceAll(DATA, '…'))
    return tests
      .filter(({ pattern, allowed }) => !allowed.has(key) && texts.some((text) => pattern.test(text)))
      .map(({ word, use }) => ({ key, word, use }))
  })
}

/** Returns exceptions for messages that were removed or no longer need them. */
export function needlessExceptions(messages, refused) {
  return refused.flatMap(({ word, allowed }) =>
    [...allowed]
      .filter((key) => !textsOf(messages[key] ?? '').some((text) => asWord(word).test(text)))
      .map((key) => ({ word, key })),
  )
}

function main() {
  const root = join(dirname(dirname(fileURLToPath(import.meta.url))), 'messages')
  const refused = refusedWords(readFileSync(join(root, 'VOCABULARY.md'), 'utf8'))
  const files = readdirSync(join(root, BASE), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.json'))
  const all = {}
  let breaches = 0
  for (const name of files) {
    const messages = JSON.parse(readFileSync(join(root, BASE, name), 'utf8'))
    Object.assign(all, messages)
    for (const { key, word, use } of breachesOf(messages, refused)) {
      console.error(`messages/en/${name}: “${word}” in ${key}; write “${use}” (messages/VOCABULARY.md)`)
      breaches += 1
    }
  }
  for (const { word, key } of needlessExceptions(all, refused)) {
    console.error(`messages/VOCABULARY.md: “${word}” is not in ${key}; take the exception out`)
    breaches += 1
  }
  console.log(`${Object.keys(all).length} messages, ${breaches} breaches of the vocabulary`)
  process.exitCode = breaches > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
