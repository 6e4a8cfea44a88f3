// The change feed: screens say which nouns they show and are told when one of them changed.
import { clientId, transport } from './call'
import type { ChangeEvent, Noun } from './generated'
import type { Link, Transport } from './transport'

type Refresh = () => void

interface Follower {
  nouns: ReadonlySet<Noun>
  refresh: Refresh
}

/** Spreads one stream of changes over those who follow it. */
export class ChangeFeed {
  readonly #followers = new Set<Follower>()
  readonly #links = new Set<(state: Link) => void>()
  #last: number | undefined
  #broken = false

  constructor(
    private readonly source: Pick<Transport, 'changes'>,
    private readonly self: string,
  ) {}

  start(): () => void {
    return this.source.changes(
      (change) => this.#heard(change),
      (state) => this.#linked(state),
    )
  }

  /** Calls `refresh` when one of `nouns` changed by another hand, or when changes may have been missed. */
  follow(nouns: readonly Noun[], refresh: Refresh): () => void {
    const follower = { nouns: new Set(nouns), refresh }
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  watchLink(told: (state: Link) => void): () => void {
    this.#links.add(told)
    return () => this.#links.delete(told)
  }

  #heard(change: ChangeEvent): void {
    const missed = this.#last !== undefined && change.seq !== this.#last + 1
    this.#last = change.seq
    if (missed) return this.#refreshAll()
    if (change.origin === this.self) return
    for (const follower of this.#followers) {
      if (change.nouns.some((noun) => follower.nouns.has(noun))) follower.refresh()
    }
  }

  #linked(state: Link): void {
    if (state === 'live' && this.#broken) {
      // The server may be another one by now, with its own numbers.
      this.#last = undefined
      this.#refreshAll()
    }
    this.#broken = state === 'broken'
    for (const told of this.#links) told(state)
  }

  #refreshAll(): void {
    for (const follower of this.#followers) follower.refresh()
  }
}

export const changeFeed = new ChangeFeed(transport, clientId)
