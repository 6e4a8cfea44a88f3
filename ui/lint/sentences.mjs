// Checks that the core and the page still have each sentence of messages/en/errors/core.json; exits with 1 and lists
// those that are gone, because their translations would never be shown.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BASE, SENTENCES } from '../messages/compile.mjs'

/** Nouns are part of a sentence, and are written with underscores where the core names them. */
const NOUN = /^core_noun_/

/** Returns the text of a source file as its strings have it: lines that go on joined, quotes without backslashes. */
export function unfold(source) {
  return source.replaceAll(/\\\r?\n\s*/g, '').replaceAll('\\"', '"')
}

const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns whether a sentence is one case of a string that has data where the sentence has words. */
function isCase(sentence, text) {
  const strings = text.matchAll(/"((?:[^"\\\n]|\\.){40,})"/g)
  return [...strings].some(
    ([, string]) =>
      string.includes('{') &&
      new RegExp(
        `^${string
          .split(/\{[^{}]*\}/)
          .map(escaped)
          .join('.+')}$`,
      ).test(sentence),
  )
}

/** Returns the keys of the sentences that are in no source. Data may have any name there, and none. */
export function findGone(sentences, sources) {
  const text = sources.map(unfold).join('\n')
  return Object.entries(sentences)
    .filter(([key, sentence]) => {
      if (NOUN.test(key)) return !text.includes(`"${sentence.replaceAll(' ', '_')}"`)
      const parts = sentence.split(/\{\w+\}/).map(escaped)
      return !new RegExp(parts.join('\\{[^{}\\n]*\\}')).test(text) && !isCase(sentence, text)
    })
    .map(([key]) => key)
}

function main() {
  const ui = dirname(dirname(fileURLToPath(import.meta.url)))
  const read = (folder, ending) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
  const sources = [...read(join(ui, '..', 'src-tauri'), '.rs'), ...read(join(ui, 'src', 'api'), '.ts')]
  const sentences = JSON.parse(readFileSync(join(ui, 'messages', BASE, SENTENCES), 'utf8'))
  const gone = findGone(sentences, sources)
  for (const key of gone)
    console.error(
      `messages/${BASE}/${SENTENCES}: nothing says “${sentences[key]}” (${key}); write it as its source does`,
    )
  console.log(`${Object.keys(sentences).length} sentences of the core, ${gone.length} that it does not say`)
  process.exitCode = gone.length > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
