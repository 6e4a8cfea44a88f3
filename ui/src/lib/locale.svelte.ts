// The language of the page, used by every compiled message and by the formats of numbers and dates.
import { pseudo } from './pseudo'

const BASE = 'en'
/** Altered English, in which a text that is in no message stands out. */
export const PSEUDO_LOCALES = ['en-XA', 'ar-XB'] as const
/** Date formats of English, named by where they are usual. */
export const DATES = ['auto', 'en-GB', 'en-US'] as const
export type Dates = (typeof DATES)[number]

type Datum = string | number
type Inputs = Readonly<Record<string, Datum>>
/** The texts of a language besides English, by the key of their message. */
export type Texts = Readonly<Record<string, (inputs: never) => string>>

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string | undefined> = new Set([
  'Arab',
  'Hebr',
  'Thaa',
  'Syrc',
  'Nkoo',
  'Adlm',
])

/** Returns the language that `?locale=…` requests. It takes precedence over preferences, so that a test or a
 *  translator can choose it for one page. */
export function readLocale(search: string): string | undefined {
  return new URLSearchParams(search).get('locale') ?? undefined
}

/** Returns the first language of `wanted`, most wanted first, that is among those `offered`: itself, or without its
 *  region. */
export function findLanguage(wanted: readonly string[], offered: readonly string[]): string | undefined {
  for (const tag of wanted) {
    for (let short = tag; short !== ''; short = short.slice(0, Math.max(short.lastIndexOf('-'), 0))) {
      const found = offered.find((each) => each.toLowerCase() === short.toLowerCase())
      if (found !== undefined) return found
    }
  }
  return undefined
}

export function isRightToLeft(tag: string): boolean {
  return RIGHT_TO_LEFT.has(new Intl.Locale(tag).maximize().script)
}

/** Returns the locale for the formats of a language, in a region if one is given. Its digits and its calendar are those
 *  of phone numbers and files, which stand beside them. */
function toFormatTag(tag: string, region?: string): string {
  if (tag === BASE || tag.startsWith(`${BASE}-`)) return region === undefined ? tag : `${BASE}-${region}`
  const inRegion = region === undefined ? {} : { region }
  return new Intl.Locale(tag, { ...inRegion, numberingSystem: 'latn', calendar: 'gregory' }).toString()
}

class Language {
  readonly requested = readLocale(location.search)
  current = $state(BASE)
  #texts = $state.raw<Texts>()
  /** Whether the page has texts in another language than English. */
  readonly hasTexts = $derived(this.#texts !== undefined)
  /** Whether the page shows altered English. */
  readonly isPseudo = $derived(PSEUDO_LOCALES.some((locale) => locale === this.current))
  readonly dir = $derived(isRightToLeft(this.current) ? 'rtl' : 'ltr')
  /** The arrow from a value to the one that took its place. */
  readonly arrow = $derived(this.dir === 'rtl' ? '←' : '→')
  /** Separates words of the page that are no sentence. */
  readonly comma = $derived(
    new Intl.Locale(this.current).maximize().script === 'Arab' && !this.isPseudo ? '، ' : ', ',
  )
  /** The preferred date format of English; `auto` follows the account's country. */
  dates = $state<Dates>('auto')
  #country = $state<string>()

  /** The locale for Intl: the reader's variant of the page's language, or else the plain language. */
  readonly tag = $derived.by(() => {
    const spoken = this.isPseudo ? BASE : this.current
    return toFormatTag(navigator.languages.find((tag) => findLanguage([tag], [spoken]) === spoken) ?? spoken)
  })

  /** The locale for dates: that of the account's country, or else the reader's. */
  readonly dateTag = $derived.by(() => {
    const isEnglish = this.isPseudo || this.current === BASE
    if (isEnglish && this.dates !== 'auto') return this.dates
    return this.#country === undefined
      ? this.tag
      : toFormatTag(isEnglish ? BASE : this.current, this.#country)
  })

  /** Sets the country of the account. */
  follow(country: string | undefined): void {
    this.#country = country !== undefined && /^[A-Z]{2}$/.test(country) ? country : undefined
  }

  /** Changes the language; English and its altered forms need no texts. */
  speak(locale: string, texts?: Texts): void {
    this.current = locale
    this.#texts = texts
  }

  /** Returns a message in the page's language, if that is not English and has it. */
  translate(key: string, inputs: Inputs | undefined): string | undefined {
    return this.#texts?.[key]?.((inputs ?? {}) as never)
  }
}

export const language = new Language()

/** Returns a message in the page's language, or undefined where its English text is to be shown. A template that reads
 *  it updates when the language changes. */
export function findTranslation(key: string, inputs?: Inputs): string | undefined {
  return language.translate(key, inputs)
}

/** Builds the English text of every compiled message. */
export function formatEnglish(parts: readonly string[], ...data: Datum[]): string {
  return language.isPseudo ? pseudo(parts, data) : join(parts, data)
}

/** Builds the text of a message in another language. */
export function formatTranslation(parts: readonly string[], ...data: Datum[]): string {
  return join(parts, isolateData(data))
}

/** Isolates data that becomes part of a text, if the text runs from right to left. */
export function isolateData<T extends Datum>(data: readonly T[]): readonly (T | string)[] {
  return language.dir === 'rtl' && !language.isPseudo ? data.map(isolate) : data
}

function join(parts: readonly string[], data: readonly Datum[]): string {
  let text = parts[0] ?? ''
  for (const [at, value] of data.entries()) text += `${value}${parts[at + 1] ?? ''}`
  return text
}

const [ISOLATE, LEFT_TO_RIGHT, END] = [0x2068, 0x2066, 0x2069].map((code) => String.fromCodePoint(code))

/** Returns a text without the marks that isolate its data, for a name of a record or a file. */
export function withoutIsolates(text: string): string {
  return text.replaceAll(/[\u2066-\u2069]/g, '')
}

/** Isolates data in a right-to-left text, so that its parts keep their order: a name or a sentence by its first letter,
 *  a phone number or a version from left to right. A plain number needs nothing. */
function isolate<T extends Datum>(value: T): T | string {
  if (typeof value === 'number' || /^[\d.,]*$/.test(value)) return value
  return `${/\p{L}/u.test(value) ? ISOLATE : LEFT_TO_RIGHT}${value}${END}`
}
