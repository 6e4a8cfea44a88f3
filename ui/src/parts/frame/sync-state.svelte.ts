// The status of the sync with the service: one state for the frame and the screens.
import { call } from '../../api/call'
import { changeFeed } from '../../api/changes'
import { toFailure, type Failure } from '../../api/errors'
import type { EndedSyncWork, SyncStatus, ChangeTopic } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'
import { tasks } from './tasks.svelte'

export interface PullOptions {
  /** Pulls only this list, by its UID. */
  list?: string
  /** Reads everything again, even what appears unchanged. */
  full?: boolean
  /** Accepts that records missing at the service were deleted there, however many there are. */
  believe?: boolean
}

/** A change of any of these may be one that must be sent to the service. */
const COUNTED: ReadonlySet<ChangeTopic> = new Set<ChangeTopic>([
  'sync',
  'list',
  'contact',
  'opt_out',
  'short_link',
  'sender',
])

class SyncState {
  value = $state.raw<SyncStatus>()
  failure = $state.raw<Failure>()
  /** A run that was paused or interrupted: it has not ended, and nothing works on it. */
  readonly idleRun = $derived(this.value?.work === null ? (this.value.run ?? undefined) : undefined)
  /** Increases whenever the status of the sync is read. */
  version = $state(0)
  readonly #endListeners = new Set<(ended: EndedSyncWork, now: SyncStatus) => void>()

  readonly load = coalesce(async () => {
    try {
      const before = this.value
      const now = await call('sync_status', {})
      this.value = now
      this.failure = undefined
      this.version += 1
      // The status bar shows this work among the running tasks.
      if (now.work?.id !== before?.work?.id) tasks.refresh()
      // Report work even if it ended before any status showed it running, but not work that ended before the first
      // status.
      const { ended } = now
      if (before !== undefined && ended !== null && ended.id !== before.ended?.id)
        for (const listener of this.#endListeners) listener(ended, now)
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  /** Loads the status now and after every relevant change, until the returned function is called. */
  follow(): () => void {
    void this.load()
    return changeFeed.followAll((change) => {
      if (change?.nouns.some((noun) => COUNTED.has(noun)) ?? true) void this.load()
    })
  }

  /** Calls a function whenever a pull or a run has ended, with the status at that time. */
  whenEnded(listener: (ended: EndedSyncWork, now: SyncStatus) => void): () => void {
    this.#endListeners.add(listener)
    return () => this.#endListeners.delete(listener)
  }

  async pull({ list, full = false, believe = false }: PullOptions = {}): Promise<void> {
    await call('sync_pull', { list: list ?? null, full, believe })
    await this.load()
  }

  /** Stops the current work: a pull after the page that it reads, a run after the request that it has sent. */
  async stop(): Promise<void> {
    await call('sync_stop', {})
    await this.load()
  }
}

export const syncState = new SyncState()
