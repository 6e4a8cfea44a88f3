// Counts how many contacts have a value in each custom field, one field and one list at a time.
import { SvelteMap } from 'svelte/reactivity'
import { call } from '../../api/call'
import type { CustomFieldUsesAnswer } from '../../api/generated'

export interface FieldUseCount {
  contacts: number
  /** Whether the count is complete. */
  done: boolean
}

export class FieldUses {
  readonly countsByField = new SvelteMap<number, FieldUseCount>()
  #round = 0

  /** Counts again and ends an older count. */
  async count(numbers: readonly number[]): Promise<void> {
    this.#round += 1
    const round = this.#round
    for (const number of numbers) {
      let after: string | null = null
      do {
        const answer: CustomFieldUsesAnswer = await call('custom_field_uses', { number, after })
        if (round !== this.#round) return
        after = answer.next
        // The old count stays in view until the new one is complete.
        const old = this.countsByField.get(number)
        if (after === null || old?.done !== true)
          this.countsByField.set(number, { contacts: answer.contacts, done: after === null })
      } while (after !== null)
    }
  }

  stop(): void {
    this.#round += 1
  }
}
