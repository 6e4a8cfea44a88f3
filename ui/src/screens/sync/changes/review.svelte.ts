// The review of unsent changes: the counts, the place in the tree, a page of rows, and the acts on them.
import { call } from '../../../api/call'
import type { Failure } from '../../../api/errors'
import { createLoad } from '../../../api/loader.svelte'
import type { ChangesDiscarded } from '../../../api/generated'
import { syncState } from '../../../parts/frame/sync-state.svelte'
import { previewGroups, type DiscardPreview } from './discard/discard-preview'
import { toBranches, toPlaceId, findNearestPlace, type TreeBranch, type ChangePlace } from './tree'
import {
  isFiltered,
  NO_FILTER,
  type ChangeFilter,
  type RecordKey,
  type ChangeRow,
  type ChangeSummary,
} from './types'

/** Rows per page; the core returns at most 200 per response. */
export const CHANGES_PER_PAGE = 100

/** The changes that an act is about: some rows, a filtered group, all of one act, all shown, or all. */
export type ReviewTarget =
  { keys: readonly RecordKey[] } | { place: ChangePlace } | { step: number } | 'shown' | 'all'

interface ShownRows {
  place: ChangePlace
  page: number
  total: number
  rows: readonly ChangeRow[]
}

export class ChangeReview {
  summary = $state.raw<ChangeSummary>()
  filter = $state.raw<ChangeFilter>(NO_FILTER)
  /** The requested place in the tree; `loadedRows` has the loaded one. */
  requestedPlace = $state.raw<ChangePlace>()
  loadedRows = $state.raw<ShownRows>()
  failure = $state.raw<Failure>()
  /** The filter of the loaded counts and rows. */
  #loadedFilter = $state.raw<ChangeFilter>(NO_FILTER)
  #page = 1
  readonly branches: readonly TreeBranch[] = $derived(toBranches(this.summary?.groups ?? []))
  readonly place = $derived(findNearestPlace(this.branches, this.requestedPlace))
  readonly branch = $derived(
    this.branches.find((one) => this.place?.noun === one.noun && this.place.list === (one.list?.id ?? null)),
  )
  readonly isFiltered = $derived(isFiltered(this.#loadedFilter))
  /** The number of all unsent changes, whatever the filter. */
  readonly totalCount = $derived(
    this.isFiltered ? (syncState.value?.changes ?? 0) : (this.summary?.total ?? 0),
  )

  readonly load = createLoad(this, async () => {
    const filter = this.filter
    const summary = await call('changes_summary', { filter })
    const place = findNearestPlace(toBranches(summary.groups), this.requestedPlace)
    // Replace counts and rows together, so that they always agree.
    const shown = place && (await this.#loadRows(place, filter))
    this.#loadedFilter = filter
    this.summary = summary
    this.loadedRows = shown
  })

  async #loadRows(place: ChangePlace, filter: ChangeFilter): Promise<ShownRows> {
    const ask = (page: number): Promise<{ total: number; rows: ChangeRow[] }> =>
      call('changes_rows', { ...place, filter, from: (page - 1) * CHANGES_PER_PAGE, count: CHANGES_PER_PAGE })
    const page = this.#page
    const answer = await ask(page)
    const last = Math.max(1, Math.ceil(answer.total / CHANGES_PER_PAGE))
    if (page <= last) return { place, page, ...answer }
    // Rows were removed in the meantime: go back to the last existing page.
    if (this.#page === page) this.#page = last
    return { place, page: last, ...(await ask(last)) }
  }

  go(place: ChangePlace): Promise<void> {
    if (this.requestedPlace !== undefined && toPlaceId(place) === toPlaceId(this.requestedPlace))
      return Promise.resolve()
    this.requestedPlace = place
    this.#page = 1
    return this.load()
  }

  goToPage(page: number): Promise<void> {
    this.#page = page
    return this.load()
  }

  narrow(patch: Partial<ChangeFilter>): Promise<void> {
    this.filter = { ...this.filter, ...patch }
    this.#page = 1
    return this.load()
  }

  /** Holds or releases changes; returns the number of rows. */
  async hold(target: ReviewTarget, held: boolean): Promise<number> {
    const { count } = await call('changes_hold', { ...this.wire(target), held })
    return count
  }

  async holdColumn(field: string, held: boolean): Promise<number> {
    return (await call('changes_hold_column', { field, held })).count
  }

  discard(target: ReviewTarget): Promise<ChangesDiscarded> {
    return call('changes_discard', this.wire(target))
  }

  /** Previews what would be discarded: its counts, and a few of its rows. */
  async previewDiscard(target: ReviewTarget): Promise<DiscardPreview> {
    const [filter, place] = this.#toFilterAndPlace(target)
    const { groups } = await call('changes_summary', { filter })
    const meant = groups.filter(
      ({ noun, list }) => place === undefined || (noun === place.noun && (list?.id ?? null) === place.list),
    )
    const rows: ChangeRow[] = []
    for (const { noun, list } of meant) {
      if (rows.length >= LOOKED_AT) break
      const ask = { noun, list: list?.id ?? null, kind: place?.kind ?? null, filter }
      rows.push(...(await call('changes_rows', { ...ask, from: 0, count: LOOKED_AT })).rows)
    }
    return previewGroups(meant, place?.kind ?? null, rows)
  }

  /** Converts a target to a filter and a place. */
  #toFilterAndPlace(target: ReviewTarget): [ChangeFilter, ChangePlace | undefined] {
    if (target === 'all') return [NO_FILTER, undefined]
    if (target === 'shown') return [this.filter, this.place]
    if ('step' in target) return [{ ...NO_FILTER, step: target.step }, undefined]
    return [this.filter, 'place' in target ? target.place : this.place]
  }

  private wire(target: ReviewTarget): {
    keys: RecordKey[] | null
    group: ChangePlace | null
    step: number | null
    filter: ChangeFilter | null
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
