// The country that a screen reads numbers without a country code in: the one chosen there, or the account's.
import { call } from '../../api/call'

export class CountryChoice {
  #chosen = $state<string>()
  #usual = $state<string>()
  #asked = 0

  /** Null while neither is known; the core then takes the account's. */
  get code(): string | null {
    return this.#chosen ?? this.#usual ?? null
  }

  /** Whether it was chosen on this screen. */
  get isChosen(): boolean {
    return this.#chosen !== undefined
  }

  choose = (country: string | null): void => {
    this.#chosen = country ?? undefined
  }

  /** Asks for the country of numbers that came together; without any it is the account's. */
  async load(numbers: readonly string[] = []): Promise<void> {
    const turn = ++this.#asked
    const { code } = await call('account_country', { numbers: [...numbers] })
    if (turn === this.#asked) this.#usual = code
  }
}

/** Where the person's system is, as far as the browser knows. */
export function regionOfBrowser(): string | null {
  try {
    return new Intl.Locale(navigator.language).maximize().region ?? null
  } catch {
    // Without a language of its own, a system may give a name that is not a language tag, such as “c”.
    return null
  }
}
