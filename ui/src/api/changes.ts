// The change feed: screens subscribe to the nouns that they show and refresh when one of them changes.
import { hasSucceededOnce, isEcho, transport } from './call'
import type { ChangeEvent, ChangeTopic } from './generated'
import type { LinkState, Transport } from './transport'

type Refresh = () => void
/** Receives the change, or nothing if changes may have been missed. */
type ChangeListener = (change?: ChangeEvent) => void

interface Follower {
  nouns: ReadonlySet<ChangeTopic>
  refresh: Refresh
}

/** Distributes one stream of changes to all subscribers. */
export class ChangeFeed {
  readonly #followers = new Set<Follower>()
  readonly #allListeners = new Set<ChangeListener>()
  readonly #linkListeners = new Set<(state: LinkState) => void>()
  #lastSeq: number | undefined
  /** Changes may have been missed, so everything refreshes when the connection is live. */
  #mayHaveMissed = false
  #wasLive = false
  /** A change arrived before anybody had subscribed to all changes. */
  #hasUnheardChange = false

  constructor(
    private readonly source: Pick<Transport, 'changes'>,
    /** Whether this page made the change and therefore shows it already. */
    private readonly isOwn: (origin: string | null) => boolean,
    /** Whether the page has read anything; if so, it may have missed changes made before the connection was live. */
    private readonly hasRead: () => boolean = () => false,
  ) {}

  start(): () => void {
    return this.source.changes(
      (change) => this.#handleChange(change),
      (state) => this.#handleLink(state),
    )
  }

  /** Calls `refresh` when somebody else changes one of `nouns`, or when changes may have been missed. */
  follow(nouns: readonly ChangeTopic[], refresh: Refresh): () => void {
    const follower = { nouns: new Set(nouns), refresh }
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Calls `refresh` after every change, including those that this page makes. */
  followAll(refresh: ChangeListener): () => void {
    this.#allListeners.add(refresh)
    if (this.#hasUnheardChange) {
      this.#hasUnheardChange = false
      refresh()
    }
    return () => this.#allListeners.delete(refresh)
  }

  /** Loads now, and again after every change, or when somebody else changes one of `nouns`. */
  keepLoaded(load: () => Promise<unknown>, nouns?: readonly ChangeTopic[]): () => void {
    const refresh = (): void => void load()
    refresh()
    return nouns === undefined ? this.followAll(refresh) : this.follow(nouns, refresh)
  }

  watchLink(listener: (state: LinkState) => void): () => void {
    this.#linkListeners.add(listener)
    return () => this.#linkListeners.delete(listener)
  }

  #handleChange(change: ChangeEvent): void {
    const missed = this.#lastSeq !== undefined && change.seq !== this.#lastSeq + 1
    this.#lastSeq = change.seq
    this.#hasUnheardChange ||= this.#allListeners.size === 0
    for (const refresh of this.#allListeners) refresh(change)
    if (missed) return this.#refreshAll()
    if (this.isOwn(change.origin)) return
    for (const follower of this.#followers) {
      if (change.nouns.some((noun) => follower.nouns.has(noun))) follower.refresh()
    }
  }

  #handleLink(state: LinkState): void {
    if (state === 'live' && !this.#wasLive && this.hasRead()) this.#mayHaveMissed = true
    this.#wasLive ||= state === 'live'
    if (state === 'live' && this.#mayHaveMissed) {
      this.#hasUnheardChange ||= this.#allListeners.size === 0
      for (const refresh of this.#allListeners) refresh()
      // A restarted server numbers its changes from the beginning.
      this.#lastSeq = undefined
      this.#refreshAll()
    }
    this.#mayHaveMissed = state === 'broken'
    for (const listener of this.#linkListeners) listener(state)
  }

  #refreshAll(): void {
    for (const follower of this.#followers) follower.refresh()
  }
}

export const changeFeed = new ChangeFeed(transport, isEcho, hasSucceededOnce)
