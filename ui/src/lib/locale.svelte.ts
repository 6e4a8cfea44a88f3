// The language of the page: what every compiled message asks, and what numbers and dates are written by.
import { pseudo } from './pseudo'

export const LOCALES = ['en', 'en-XA', 'ar-XB'] as const
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
  /** For Intl: English as the reader's country writes it, if it is the reader's language at all. */
  readonly tag = navigator.language.startsWith('en') ? navigator.language : 'en'

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
