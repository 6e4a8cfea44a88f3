// The account and its counts: the sidebar, the status bar and the overview all show them.
import { call } from '../api/call'
import { toFailure, type Failure } from '../api/errors'
import type { Overview, ChangeTopic } from '../api/generated'
import { coalesce } from '../lib/coalesce'

class OverviewState {
  value = $state<Overview>()
  failure = $state<Failure>()

  /** Fetches again; what was known stays in view until the answer is there. */
  readonly load = coalesce(async () => {
    try {
      this.value = await call('overview_get', {})
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  /** Opens the account once more, after the person has cured what was wrong with it. */
  async reopen(): Promise<void> {
    try {
      await call('account_retry', {})
    } catch (error) {
      this.failure = toFailure(error)
      return
    }
    await this.load()
  }
}

export const overview = new OverviewState()

/** The account itself, and every noun the counts are made of. */
export const COUNTED: ReadonlySet<ChangeTopic> = new Set<ChangeTopic>([
  'account',
  'sender',
  'asset',
  'custom_field',
  'list',
  'contact',
  'opt_out',
  'short_link',
  'job',
])
