// The name of a region in the user's language.
import { language } from '../../lib/locale.svelte'

const made = new Map<string, Intl.DisplayNames>()

/** Returns a name such as “United Kingdom (GB)”. Numbers without a country have the region 001. */
export function formatRegion(code: string): string {
  let names = made.get(language.tag)
  if (names === undefined) {
    names = new Intl.DisplayNames(language.tag, { type: 'region' })
    made.set(language.tag, names)
  }
  try {
    const name = names.of(code)
    return name === undefined || name === code ? code : name
  } catch {
    return code
  }
}

/** Names of countries that have an article in an English sentence. */
const WITH_ARTICLE =
  /^(?:United|Netherlands|Philippines|Bahamas|Gambia|Maldives|Dominican Republic)\b| Islands$/

/** Replaces the codes of countries by their names in a sentence of the core that has no other data. */
export function nameRegions(sentence: string): string {
  return sentence.replaceAll(/\b[A-Z]{2}\b/g, (code) => {
    const name = formatRegion(code)
    return !language.hasTexts && WITH_ARTICLE.test(name) ? `the ${name}` : name
  })
}

const [LEFT_TO_RIGHT, END] = [0x2066, 0x2069].map((code) => String.fromCodePoint(code))

/** Isolates a number in a sentence, so that its groups keep their order in right-to-left text. */
export function isolateNumber(number: string): string {
  return `${LEFT_TO_RIGHT ?? ''}${number}${END ?? ''}`
}

/** What may stand between the digits of a number. */
const BETWEEN = /[\s().\-\u2010-\u2015\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** The most digits of a country code. */
const CODE_MOST = 3
/** The fewest digits after the country code that are compared. */
const REST_LEAST = 7

/** Writes the digits of Arabic and of full width as Latin ones. */
function toLatinDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    const zero = [0x660, 0x6f0, 0x966, 0xff10].find((first) => code >= first && code <= first + 9)
    return zero === undefined ? digit : String(code - zero)
  })
}

/** Returns whether what was typed is a spelling of this number in E.164 form, with or without its country code. */
export function isSameNumber(typed: string, number: string): boolean {
  const text = toLatinDigits(typed).replaceAll('\uff0b', '+').replace('(0)', '').replaceAll(BETWEEN, '')
  if (!/^\+?[0-9]+$/.test(text)) return false
  const whole = number.slice(1)
  if (text.startsWith('+')) return text.slice(1) === whole
  if (text === whole || text === `00${whole}`) return true
  const rest = text.startsWith('0') && !text.startsWith('00') ? text.slice(1) : text
  const isEnd = (one: string): boolean =>
    one.length >= REST_LEAST && whole.length - one.length <= CODE_MOST && whole.endsWith(one)
  return isEnd(rest) || isEnd(text)
}
