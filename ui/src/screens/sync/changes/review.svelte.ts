// The review of unsent changes: the counts, the place in the tree, a page of rows, and the acts on them.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import type { ChangesDiscarded } from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'
import { syncState } from '../../../parts/frame/standing.svelte'
import { givenUpOf, type GivenUp } from './discard/given-up'
import { branchesOf, idOf, settledPlace, type Branch, type Place } from './tree'
import { isFiltered, NO_FILTER, type Filter, type RecordKey, type Row, type Summary } from './types'

/** Rows per page; the core returns at most 200 per response. */
export const PAGE = 100

/** The changes that an act is about: some rows, a filtered group, all of one act, all shown, or all. */
export type Target = { keys: readonly RecordKey[] } | { place: Place } | { step: number } | 'shown' | 'all'

interface Shown {
  place: Place
  page: number
  total: number
  rows: readonly Row[]
}

export class Review {
  summary = $state.raw<Summary>()
  filter = $state.raw<Filter>(NO_FILTER)
  /** The requested place in the tree; `shown` has the loaded one. */
  wanted = $state.raw<Place>()
  shown = $state.raw<Shown>()
  failure = $state.raw<Failure>()
  /** The filter of the loaded counts and rows. */
  #answered = $state.raw<Filter>(NO_FILTER)
  #page = 1
  readonly branches: readonly Branch[] = $derived(branchesOf(this.summary?.groups ?? []))
  readonly place = $derived(settledPlace(this.branches, this.wanted))
  readonly branch = $derived(
    this.branches.find((one) => this.place?.noun === one.noun && this.place.list === (one.list?.id ?? null)),
  )
  readonly isFiltered = $derived(isFiltered(this.#answered))
  /** The number of all unsent changes, whatever the filter. */
  readonly all = $derived(this.isFiltered ? (syncState.value?.changes ?? 0) : (this.summary?.total ?? 0))

  readonly load = coalesce(async () => {
    try {
      const filter = this.filter
      const summary = await call('changes_summary', { filter })
      const place = settledPlace(branchesOf(summary.groups), this.wanted)
      // Replace counts and rows together, so that they always agree.
      const shown = place && (await this.#rows(place, filter))
      this.#answered = filter
      this.summary = summary
      this.shown = shown
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  async #rows(place: Place, filter: Filter): Promise<Shown> {
    const ask = (page: number): Promise<{ total: number; rows: Row[] }> =>
      call('changes_rows', { ...place, filter, from: (page - 1) * PAGE, count: PAGE })
    const page = this.#page
    const answer = await ask(page)
    const last = Math.max(1, Math.ceil(answer.total / PAGE))
    if (page <= last) return { place, page, ...answer }
    // Rows were removed in the meantime: go back to the last existing page.
    if (this.#page === page) this.#page = last
    return { place, page: last, ...(await ask(last)) }
  }

  go(place: Place): Promise<void> {
    if (this.wanted !== undefined && idOf(place) === idOf(this.wanted)) return Promise.resolve()
    this.wanted = place
    this.#page = 1
    return this.load()
  }

  turn(page: number): Promise<void> {
    this.#page = page
    return this.load()
  }

  narrow(patch: Partial<Filter>): Promise<void> {
    this.filter = { ...this.filter, ...patch }
    this.#page = 1
    return this.load()
  }

  /** Holds or releases changes; returns the number of rows. */
  async hold(target: Target, held: boolean): Promise<number> {
    const { count } = await call('changes_hold', { ...this.wire(target), held })
    return count
  }

  async holdColumn(field: string, held: boolean): Promise<number> {
    return (await call('changes_hold_column', { field, held })).count
  }

  discard(target: Target): Promise<ChangesDiscarded> {
    return call('changes_discard', this.wire(target))
  }

  /** Previews what would be discarded: its counts, and a few of its rows. */
  async look(target: Target): Promise<GivenUp> {
    const [filter, place] = this.#reach(target)
    const { groups } = await call('changes_summary', { filter })
    const meant = groups.filter(
      ({ noun, list }) => place === undefined || (noun === place.noun && (list?.id ?? null) === place.list),
    )
    const rows: Row[] = []
    for (const { noun, list } of meant) {
      if (rows.length >= LOOKED_AT) break
      const ask = { noun, list: list?.id ?? null, kind: place?.kind ?? null, filter }
      rows.push(...(await call('changes_rows', { ...ask, from: 0, count: LOOKED_AT })).rows)
    }
    return givenUpOf(meant, place?.kind ?? null, rows)
  }

  /** Converts a target to a filter and a place. */
  #reach(target: Target): [Filter, Place | undefined] {
    if (target === 'all') return [NO_FILTER, undefined]
    if (target === 'shown') return [this.filter, this.place]
    if ('step' in target) return [{ ...NO_FILTER, step: target.step }, undefined]
    return [this.filter, 'place' in target ? target.place : this.place]
  }

  private wire(target: Target): {
    keys: RecordKey[] | null
    group: Place | null
    step: number | null
    filter: Filter | null
  } {
    const none = { keys: null, group: null, step: null, filter: null }
    if (target === 'all') return { ...none, filter: NO_FILTER }
    if (target === 'shown') return { ...none, group: this.place ?? null, filter: this.filter }
    if ('keys' in target) return { ...none, keys: [...target.keys] }
    if ('place' in target) return { ...none, group: target.place, filter: this.filter }
    return { ...none, step: target.step }
  }
}

/** The number of rows in a preview. */
const LOOKED_AT = 6
