// The check of the account's file. It continues while the user looks at another screen.
import { call } from '../../api/call'
import { toFailure, type Failure } from '../../api/errors'
import type { AccountCheck } from '../../api/generated'
import { storedValue } from '../../parts/stored-value.svelte'

/** The key of the last check, which belongs to the file and not to a copy of it. */
export const LAST_CHECK = 'safety.check'

class FileCheckState {
  running = $state(false)
  result = $state.raw<AccountCheck>()
  failure = $state.raw<Failure>()
  readonly #last = storedValue<{ at: string; faults: number } | null>(LAST_CHECK, null)

  /** When the file was last checked, and how many problems were found. */
  get last(): { at: string; faults: number } | null {
    return this.#last.current
  }

  async run(): Promise<void> {
    if (this.running) return
    this.running = true
    try {
      this.result = await call('account_check', {})
      this.failure = undefined
      this.#last.set({ at: this.result.at, faults: this.result.faults.length })
    } catch (error) {
      this.failure = toFailure(error)
    } finally {
      this.running = false
    }
  }
}

export const fileCheck = new FileCheckState()
