// Sentences that the core sends in English, such as the reason of an error, in the language of the page.
import { language, findTranslation } from '../lib/locale.svelte'

interface Template {
  key: string
  pattern: RegExp
  names: readonly string[]
}

/** Data that may be a sentence of the core itself. All other data stays as it is. */
const NESTED: ReadonlySet<string> = new Set([
  'why',
  'what',
  'doing',
  'asks',
  'trace',
  'noun',
  'detail',
  'way_back',
  'proposed',
  'sign',
  'said',
  'by',
])

let plain: ReadonlyMap<string, string> = new Map()
let templates: readonly Template[] = []

/** Makes the English sentences of the core known, each by the key of its message. */
export function learnSentences(sentences: Readonly<Record<string, string>>): void {
  const all = Object.entries(sentences)
  const isTemplate = (sentence: string): boolean => sentence.includes('{')
  plain = new Map(all.flatMap(([key, sentence]) => (isTemplate(sentence) ? [] : [[sentence, key]])))
  templates = all
    .filter(([, sentence]) => isTemplate(sentence))
    // The one with more words of its own is the better match.
    .toSorted(([, a], [, b]) => b.replaceAll(/\{\w+\}/g, '').length - a.replaceAll(/\{\w+\}/g, '').length)
    .map(([key, sentence]) => toTemplate(key, sentence))
}

function toTemplate(key: string, sentence: string): Template {
  const parts = sentence.split(/\{(\w+)\}/)
  const source = parts.map((part, at) =>
    at % 2 === 1 ? '(.*?)' : part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  return {
    key,
    pattern: new RegExp(`^${source.join('')}$`, 's'),
    names: parts.filter((_, at) => at % 2 === 1),
  }
}

/** Returns a sentence of the core in the language of the page; one that is not known stays English. */
export function translateSentence(text: string): string {
  if (!language.hasTexts) return text
  const key = plain.get(text)
  if (key !== undefined) return findTranslation(key) ?? text
  for (const { key: templateKey, pattern, names } of templates) {
    const values = pattern.exec(text)?.slice(1)
    if (values === undefined) continue
    const given = names.map((name, at) => {
      const value = values[at] ?? ''
      return [name, NESTED.has(name) ? translatePart(value) : value]
    })
    return findTranslation(templateKey, Object.fromEntries(given)) ?? text
  }
  return text
}

/** Translates a sentence within another one, which may follow a space or a comma. */
function translatePart(value: string): string {
  return value.replace(/[^\s,].*$/s, translateSentence).replace(/^, /, language.comma)
}

/** Returns a sentence that may be missing in the language of the page. */
export function toSentence(text: string | null | undefined): string | undefined {
  return text === null || text === undefined ? undefined : translateSentence(text)
}

/** The first sentence of a text, and the others. */
const FIRST = /^(.*?[.!?؟]) (.*)$/s

/** Translates a failure. Its message and its advice are known as one text, of which the message is the first sentence. */
export function translateFailure({ message, advice }: { message: string; advice: string | null }): {
  message: string
  advice: string | undefined
} {
  const whole = advice === null ? message : `${message} ${advice}`
  const translated = translateSentence(whole)
  if (translated === whole) return { message: translateSentence(message), advice: toSentence(advice) }
  const [, first, others] = FIRST.exec(translated) ?? []
  return { message: first ?? translated, advice: others }
}
