// The account and its counts, for the sidebar, the status bar and the overview.
import { call } from '../api/call'
import { toFailure, type Failure } from '../api/errors'
import { createLoad } from '../api/loader.svelte'
import type { Overview, ChangeTopic } from '../api/generated'

class OverviewState {
  value = $state<Overview>()
  failure = $state<Failure>()

  /** Loads them; the old ones stay in view until the response arrives. */
  readonly load = createLoad(this, async () => {
    this.value = await call('overview_get', {})
  })

  /** Opens the account again, after the user has fixed what was wrong with it. */
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

/** The account itself, and every noun that is counted. */
export const COUNTED_TOPICS: ReadonlySet<ChangeTopic> = new Set<ChangeTopic>([
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
