// How here and the service stand to each other, and what works with it right now: one state for the frame and the screen.
import { call } from '../../api/call'
import { changeFeed } from '../../api/changes'
import { toFailure, type Failure } from '../../api/errors'
import type { EndedSyncWork, SyncStatus, ChangeTopic } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'
import { tasks } from './tasks.svelte'

export interface PullWish {
  /** One list alone, by its uid. */
  list?: string
  /** Everything is read again, also what looks as it did. */
  full?: boolean
  /** What is gone there is taken to be gone, however much it is. */
  believe?: boolean
}

/** An edit of any of these may be one that waits for the service. */
const COUNTED: ReadonlySet<ChangeTopic> = new Set<ChangeTopic>([
  'sync',
  'list',
  'contact',
  'opt_out',
  'short_link',
  'sender',
])

class Standing {
  value = $state.raw<SyncStatus>()
  failure = $state.raw<Failure>()
  /** Counts up whenever something of the sync moved. */
  version = $state(0)
  readonly #ended = new Set<(ended: EndedSyncWork, now: SyncStatus) => void>()

  readonly load = coalesce(async () => {
    try {
      const before = this.value
      const now = await call('sync_status', {})
      this.value = now
      this.failure = undefined
      this.version += 1
      // The status bar shows it among all that runs, and no longer than it does.
      if (now.work?.id !== before?.work?.id) tasks.look()
      // Also of work that was over before anybody saw it; what ended before the first look is of the past.
      const { ended } = now
      if (before !== undefined && ended !== null && ended.id !== before.ended?.id)
        for (const told of this.#ended) told(ended, now)
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  /** Asks now, and after every change that can matter, until the returned function is called. */
  follow(): () => void {
    void this.load()
    return changeFeed.followAll((change) => {
      if (change?.nouns.some((noun) => COUNTED.has(noun)) ?? true) void this.load()
    })
  }

  /** Tells of every work that has ended, with how things stand then. */
  whenEnded(told: (ended: EndedSyncWork, now: SyncStatus) => void): () => void {
    this.#ended.add(told)
    return () => this.#ended.delete(told)
  }

  async pull({ list, full = false, believe = false }: PullWish = {}): Promise<void> {
    await call('sync_pull', { list: list ?? null, full, believe })
    await this.load()
  }

  /** A pull stops behind the page it reads, a run behind the request it has sent. */
  async stop(): Promise<void> {
    await call('sync_stop', {})
    await this.load()
  }
}

export const standing = new Standing()
