// The language of the page, used by every compiled message and by the formats of numbers and dates.
import { pseudo } from './pseudo'

export const LOCALES = ['en', 'en-XA', 'ar-XB'] as const
/** Date formats, named by where they are usual. */
export const DATES = ['auto', 'en-GB', 'en-US'] as const
export type Dates = (typeof DATES)[number]
export type Locale = (typeof LOCALES)[number]

/** Returns the locale that `?locale=…` requests. It takes precedence over preferences, so that a test or a
 *  translator can choose it for one page. */
export function readLocale(search: string): Locale | undefined {
  const asked = new URLSearchParams(search).get('locale')
  return LOCALES.find((locale) => locale === asked)
}

class Language {
  readonly asked = readLocale(location.search)
  current = $state<Locale>(this.asked ?? 'en')
  readonly dir = $derived(this.current === 'ar-XB' ? 'rtl' : 'ltr')
  /** The preferred date format; `auto` follows the account's country. */
  dates = $state<Dates>('auto')
  #country = $state<string>()
  /** The locale for Intl: the reader's variant of English, or plain English if the reader's language is another one. */
  readonly tag = navigator.language.startsWith('en') ? navigator.language : 'en'

  /** The locale for dates: that of the account's country, or else the reader's. */
  readonly dateTag = $derived.by(() => {
    if (this.dates !== 'auto') return this.dates
    return this.#country === undefined ? this.tag : `en-${this.#country}`
  })

  /** Sets the country of the account. */
  follow(country: string | undefined): void {
    this.#country = country !== undefined && /^[A-Z]{2}$/.test(country) ? country : undefined
  }

  prefer(locale: Locale): void {
    this.current = this.asked ?? locale
  }
}

export const language = new Language()

/** Builds the text of every compiled message. A template that reads it updates when the language changes. */
export function said(parts: readonly string[], ...data: (string | number)[]): string {
  if (language.current !== 'en') return pseudo(parts, data)
  let text = parts[0] ?? ''
  for (const [at, value] of data.entries()) text += `${value}${parts[at + 1] ?? ''}`
  return text
}
