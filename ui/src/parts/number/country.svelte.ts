// The country that a screen uses for numbers without a country code: the one chosen there, or the default.
import { call } from '../../api/call'

export class CountryChoice {
  #chosen = $state<string>()
  #default = $state<string>()
  #turn = 0

  /** Null while neither is known; the core then uses the account's. */
  get code(): string | null {
    return this.#chosen ?? this.#default ?? null
  }

  /** Whether the user chose it on this screen. */
  get isChosen(): boolean {
    return this.#chosen !== undefined
  }

  choose = (country: string | null): void => {
    this.#chosen = country ?? undefined
  }

  /** Loads the country that fits these numbers; without numbers, the account's. */
  async load(numbers: readonly string[] = []): Promise<void> {
    const turn = ++this.#turn
    const { code } = await call('account_country', { numbers: [...numbers] })
    if (turn === this.#turn) this.#default = code
  }
}

/** Returns the region of the user's system, as far as the browser knows it. */
export function getBrowserRegion(): string | null {
  try {
    return new Intl.Locale(navigator.language).maximize().region ?? null
  } catch {
    // A system without a configured language may report a name that is not a language tag, such as “c”.
    return null
  }
}
