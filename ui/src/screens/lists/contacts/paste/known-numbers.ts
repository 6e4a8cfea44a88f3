// Numbers of a paste that are already known: in the list, in an earlier row, or opted out.
import type { PasteRow } from '../../../../api/generated'
import { m } from '../../../../gen/words'
import { formatNumber } from '../../../../lib/format'

export class KnownNumbers {
  readonly #seen = new Set<string>()
  #inList = 0
  #repeated = 0
  #optedOut = 0

  /** Adds a valid row; rows must be added in the order of the paste. */
  add({
    numbers,
    is_in_list,
    is_opted_out,
  }: Pick<PasteRow, 'numbers' | 'is_in_list' | 'is_opted_out'>): void {
    if (is_in_list) this.#inList += 1
    if (is_opted_out) this.#optedOut += 1
    if (numbers.some((number) => this.#seen.has(number))) this.#repeated += 1
    for (const number of numbers) this.#seen.add(number)
  }

  words(): string[] {
    const remarks = [
      [this.#inList, m.contacts_paste_in_list],
      [this.#repeated, m.contacts_paste_repeated],
      [this.#optedOut, m.contacts_paste_opted_out],
    ] as const
    return remarks.flatMap(([count, word]) =>
      count === 0 ? [] : [word({ count, shown: formatNumber(count) })],
    )
  }
}
