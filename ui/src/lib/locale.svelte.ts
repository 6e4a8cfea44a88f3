// The language of the page: what every compiled message asks, and what numbers and dates are written by.
import { pseudo } from './pseudo'

export const LOCALES = ['en', 'en-XA', 'ar-XB'] as const
/** Ways to write a date, by where they are usual. */
export const DATES = ['auto', 'en-GB', 'en-US'] as const
export type Dates = (typeof DATES)[number]
export type Locale = (typeof LOCALES)[number]

/** `?locale=…` comes before any preference, so that a test or a translator can ask for one page. */
export function localeOf(search: string): Locale | undefined {
  const asked = new URLSearchParams(search).get('locale')
  return LOCALES.find((locale) => locale === asked)
}

class Language {
  readonly asked = localeOf(location.search)
  current = $state<Locale>(this.asked ?? 'en')
  readonly dir = $derived(this.current === 'ar-XB' ? 'rtl' : 'ltr')
  /** How dates were asked to be written; `auto` goes by the account's country. */
  dates = $state<Dates>('auto')
  #country = $state<string>()
  /** For Intl: English as the reader's country writes it, if it is the reader's language at all. */
  readonly tag = navigator.language.startsWith('en') ? navigator.language : 'en'

  /** For dates: as the account's country writes them, or else the reader's. */
  readonly dateTag = $derived.by(() => {
    if (this.dates !== 'auto') return this.dates
    return this.#country === undefined ? this.tag : `en-${this.#country}`
  })

  /** The country of the account. */
  follow(country: string | undefined): void {
    this.#country = country !== undefined && /^[A-Z]{2}$/.test(country) ? country : undefined
  }

  prefer(locale: Locale): void {
    this.current = this.asked ?? locale
  }
}

export const language = new Language()

/** Tags the text of every compiled message; reading it in a template follows the language. */
export function said(parts: readonly string[], ...data: (string | number)[]): string {
  if (language.current !== 'en') return pseudo(parts, data)
  let text = parts[0] ?? ''
  for (const [at, value] of data.entries()) text += `${value}${parts[at + 1] ?? ''}`
  return text
}
