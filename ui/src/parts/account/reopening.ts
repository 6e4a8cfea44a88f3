// Actions for which the account is closed and opened again. The page then starts again and says what became of them.
import { describeError } from '../../api/errors'
import { toast } from '../../kit/over/toasts.svelte'
import { overview } from '../overview.svelte'

const OUTCOME = 'roost.reopened'

interface ReopeningOutcome {
  text: string
  kind: 'done' | 'warning' | 'fault'
}

class Reopening {
  /** Whether such an action of this page has not ended. The page then starts again by itself. */
  isUnderWay = false

  /** Runs an action that returns what the next page says. Throws if it was refused while the account stayed open. */
  async run(act: () => Promise<string>): Promise<void> {
    const before = overview.value?.account.opening
    this.isUnderWay = true
    let outcome: ReopeningOutcome
    try {
      outcome = { text: await act(), kind: 'done' }
    } catch (error) {
      await overview.load()
      if (overview.failure === undefined && overview.value?.account.opening === before) {
        this.isUnderWay = false
        throw error
      }
      outcome = { text: describeError(error), kind: 'fault' }
    }
    this.#store(outcome)
    location.reload()
  }

  /** Lets the next page say what happened to this one. */
  announce(text: string, kind: ReopeningOutcome['kind']): void {
    this.#store({ text, kind })
  }

  #store(outcome: ReopeningOutcome): void {
    sessionStorage.setItem(OUTCOME, JSON.stringify(outcome))
  }

  /** Says what became of the action of the page before, once. */
  showOutcome(): void {
    const stored = sessionStorage.getItem(OUTCOME)
    if (stored === null) return
    sessionStorage.removeItem(OUTCOME)
    const { text, kind } = JSON.parse(stored) as ReopeningOutcome
    toast(text, { kind })
  }
}

export const reopening = new Reopening()
