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
