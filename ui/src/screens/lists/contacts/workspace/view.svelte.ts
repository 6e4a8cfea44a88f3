// The view of a list that the grid shows: opened, followed while the core builds it, and built again when the list
// changes.
import { call } from '../../../../api/call'
import { toFailure, type Failure } from '../../../../api/errors'
import type { GridFilter, GridState } from '../../../../api/generated'
import type { SortKey } from '../../../../grid/engine/columns'
import type { GridView } from '../../../../grid/engine/source'

/** The rows that are requested, and their order. */
export interface ViewRequest {
  readonly text: string
  readonly filter: GridFilter | null
  readonly sort: readonly SortKey[]
  /** Whether contacts that were deleted here stay in view until the deletion is sent. */
  readonly hasDeleted: boolean
}

/** A view that is built. */
export interface BuiltView {
  readonly view: number
  /** The core's generation of the view. */
  readonly generation: number
  readonly request: ViewRequest
  readonly grid: GridView
  /** How many of the rows were deleted here and wait to be sent. */
  readonly deleted: number
}

export interface BuildProgress {
  readonly rows: number
  readonly total: number
  readonly isExact: boolean
}

/** Why rows are read again: other rows are wanted, another order, or the same ones after changes. */
export type RebuildReason = 'narrow' | 'sort' | 'refresh'

/** How long one call waits for the build to end. */
const WAIT_MS = 400
const ALL: ViewRequest = { text: '', filter: null, sort: [], hasDeleted: true }

export class ListView {
  readonly list: string
  /** The requested view. */
  request = $state.raw<ViewRequest>(ALL)
  /** The built view that the grid shows. */
  built = $state.raw<BuiltView>()
  building = $state.raw<BuildProgress>()
  failure = $state.raw<Failure>()
  /** Whether rows were changed since the view was built, so that some may no longer match or belong elsewhere. */
  isOutdated = $state(false)
  /** Called before rows move, to remember the position. The function that it returns is called afterwards. */
  rememberPosition: (why: RebuildReason) => Promise<(() => Promise<void>) | undefined> = () =>
    Promise.resolve(undefined)
  #turn = 0
  /** Counts every order of rows that the grid was given, across views. */
  #orderCount = 0
  #pendingCheck: Promise<void> | undefined
  #mustCheckAgain = false
  /** Whether something changed during a build. */
  #hasMissedChange = false
  #isClosed = false
  readonly #acts = new Set<Promise<unknown>>()

  constructor(list: string) {
    this.list = list
  }

  get total(): number {
    return this.built?.grid.total ?? 0
  }

  /** The number of contacts among the rows, without those that were deleted. */
  get count(): number {
    return this.total - (this.built?.deleted ?? 0)
  }

  get isNarrowed(): boolean {
    return this.request.text.trim() !== '' || this.request.filter !== null
  }

  /** Marks rows as changed here. They stay in place until the view is built again. */
  markOutdated(): void {
    this.isOutdated = this.built !== undefined && isOrderedByContent(this.built.request)
  }

  /** Requests other rows, or another order. */
  async narrow(patch: Partial<ViewRequest>): Promise<void> {
    this.request = { ...this.request, ...patch }
    await this.open('text' in patch || 'filter' in patch ? 'narrow' : 'sort')
  }

  /** Opens the requested view; the old one remains usable until it is built. */
  async open(why: RebuildReason = 'refresh'): Promise<void> {
    const turn = (this.#turn += 1)
    const { request, list } = this
    let view: number | undefined
    try {
      const opened = await call('grid_open', toOpenRequest(list, request))
      view = opened.view
      const place = await this.rememberPosition(why)
      const state = await this.#waitUntilBuilt(view, opened.generation, turn, {
        ...opened,
        rows_read: 0,
        is_stale: false,
        fault: null,
      })
      if (state === undefined) {
        this.#closeView(view)
        return
      }
      const before = this.built?.view
      this.#adoptState(view, state, request)
      if (before !== undefined) this.#closeView(before)
      await place?.()
    } catch (error) {
      if (view !== undefined) this.#closeView(view)
      if (turn === this.#turn) this.#handleFailure(error)
    }
  }

  /** Checks whether others added, removed or changed rows, and updates the view. */
  checkForChanges(): Promise<void> {
    this.#mustCheckAgain = this.#pendingCheck !== undefined
    this.#pendingCheck ??= this.#checkState().finally(() => {
      this.#pendingCheck = undefined
      if (this.#mustCheckAgain) void this.checkForChanges()
    })
    return this.#pendingCheck
  }

  /** Builds the view again, which removes rows that no longer match. */
  async refresh(): Promise<void> {
    const { built } = this
    if (built === undefined) return this.open()
    const turn = (this.#turn += 1)
    const place = await this.rememberPosition('refresh')
    const { view, request } = built
    try {
      await call('grid_refresh', { view })
      const state = await this.#waitUntilBuilt(view, built.generation, turn)
      if (state === undefined) return
      this.#adoptState(view, state, request)
      await place?.()
    } catch (error) {
      if (turn === this.#turn) await this.#reopenOrFail(error)
    }
  }

  /** Cancels the build. The view that is shown remains and becomes the requested one. */
  cancel(): void {
    this.#turn += 1
    this.building = undefined
    const { built } = this
    if (built === undefined) return
    this.request = built.request
    // `open` closes a new view itself when it is cancelled; a view that is being rebuilt remains usable.
    call('grid_cancel', { view: built.view }).catch(() => undefined)
  }

  /** Awaits an act on the rows. The core keeps the view open until the act has ended, even if this one is closed. */
  async follow<T>(act: Promise<T>): Promise<T> {
    this.#acts.add(act)
    try {
      return await act
    } finally {
      this.#acts.delete(act)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#turn += 1
    const { built } = this
    if (built !== undefined) void Promise.allSettled(this.#acts).then(() => this.#closeView(built.view))
  }

  async #checkState(): Promise<void> {
    const { built } = this
    if (built === undefined) return
    if (this.building !== undefined) {
      this.#hasMissedChange = true
      return
    }
    try {
      const state = await call('grid_state', { view: built.view, generation: null, wait_ms: null })
      // The answer is about rows that were replaced meanwhile.
      if (built !== this.built) return await this.#checkState()
      if (state.generation !== built.generation || state.total !== built.grid.total)
        this.#adoptState(built.view, state, built.request)
      if (state.is_stale) await this.refresh()
    } catch (error) {
      await this.#reopenOrFail(error)
    }
  }

  /** Waits until the view is built and reports progress; returns undefined if another view has been requested since. */
  async #waitUntilBuilt(
    view: number,
    seen: number,
    turn: number,
    first?: GridState,
  ): Promise<GridState | undefined> {
    let state =
      first?.is_building === false
        ? first
        : await call('grid_state', { view, generation: seen, wait_ms: WAIT_MS })
    while (turn === this.#turn && !this.#isClosed && state.is_building) {
      this.building = { rows: state.rows_read, total: state.total, isExact: state.is_exact }
      state = await call('grid_state', { view, generation: seen, wait_ms: WAIT_MS })
    }
    if (turn !== this.#turn || this.#isClosed) return undefined
    this.building = undefined
    if (state.fault !== null) throw new Error(state.fault)
    return state
  }

  #adoptState(view: number, state: GridState, request: ViewRequest): void {
    const { built } = this
    const isSame = built?.view === view && built.generation === state.generation
    const generation = isSame ? built.grid.generation : (this.#orderCount += 1)
    const grid = { generation, total: state.total, isExact: state.is_exact }
    this.built = { view, generation: state.generation, request, grid, deleted: state.deleted }
    this.failure = undefined
    if (!isSame) this.isOutdated = false
    if (this.#hasMissedChange) {
      this.#hasMissedChange = false
      queueMicrotask(() => void this.checkForChanges())
    }
  }

  /** Opens the view again if the core has closed it, as it does with views that were not used for a while. */
  async #reopenOrFail(error: unknown): Promise<void> {
    if (toFailure(error).code === 'conflict') await this.open()
    else this.#handleFailure(error)
  }

  #handleFailure(error: unknown): void {
    this.building = undefined
    this.failure = toFailure(error)
  }

  #closeView(view: number): void {
    call('grid_close', { view }).catch(() => undefined)
  }
}

/** Returns whether the texts of a row decide if it is in the view, and where. */
function isOrderedByContent({ text, filter, sort }: ViewRequest): boolean {
  return text.trim() !== '' || filter !== null || sort.length > 0
}

/** Converts a request to the parameters of `grid_open`. */
export function toOpenRequest(list: string, { text, filter, sort, hasDeleted }: ViewRequest) {
  const order = { ascending: 'ASC', descending: 'DESC' } as const
  return {
    list,
    filter,
    text: text.trim() === '' ? null : text.trim(),
    sort: sort.map((key) => ({ field: key.field, order: order[key.order] })),
    has_deleted: hasDeleted,
  }
}
