// The view of a list that the grid shows: opened, watched while it is built, made anew when others changed the list.
import { call } from '../../../../api/call'
import { toFailure, type Failure } from '../../../../api/errors'
import type { GridFilter, GridState } from '../../../../api/generated'
import type { SortKey } from '../../../../grid/engine/columns'
import type { GridView } from '../../../../grid/engine/source'

/** What rows are asked for, and in which order. */
export interface Asked {
  readonly text: string
  readonly filter: GridFilter | null
  readonly sort: readonly SortKey[]
  /** Contacts that were deleted here stay in view until they are pushed. */
  readonly hasDeleted: boolean
}

/** A view that answers. */
export interface Standing {
  readonly view: number
  /** The core's count of it. */
  readonly generation: number
  readonly asked: Asked
  readonly grid: GridView
  /** So many of the rows were deleted here and wait to be pushed. */
  readonly deleted: number
}

export interface Progress {
  readonly rows: number
  readonly total: number
  readonly isExact: boolean
}

/** Why rows get other places: others fit, another order is wanted, or the same was found again. */
export type Anew = 'narrow' | 'sort' | 'refresh'

/** How long one question waits for the building to end. */
const WAIT_MS = 400
const ALL: Asked = { text: '', filter: null, sort: [], hasDeleted: true }

export class ListView {
  readonly list: string
  /** What is asked for. */
  asked = $state.raw<Asked>(ALL)
  /** What is in view, and what it answers. */
  standing = $state.raw<Standing>()
  building = $state.raw<Progress>()
  failure = $state.raw<Failure>()
  /** Rows were changed since they were found: some may not fit any more, or would stand elsewhere. */
  isLoose = $state(false)
  /** Called before rows get other places, to remember where one is; what it answers is called after. */
  keepPlace: (why: Anew) => Promise<(() => Promise<void>) | undefined> = () => Promise.resolve(undefined)
  #turn = 0
  /** Counts every order of rows that the grid was given, whichever view it is of. */
  #orders = 0
  #looking: Promise<void> | undefined
  #looksAgain = false
  /** Something changed while rows were being found. */
  #isOverdue = false
  #isClosed = false

  constructor(list: string) {
    this.list = list
  }

  get total(): number {
    return this.standing?.grid.total ?? 0
  }

  /** Contacts among the rows: those that were deleted are none any more. */
  get count(): number {
    return this.total - (this.standing?.deleted ?? 0)
  }

  get isNarrowed(): boolean {
    return this.asked.text.trim() !== '' || this.asked.filter !== null
  }

  /** Rows were changed here; they stay where they are until they are found anew. */
  wrote(): void {
    this.isLoose = this.standing !== undefined && isOrdered(this.standing.asked)
  }

  /** Asks for other rows, or for the same in another order. */
  async narrow(patch: Partial<Asked>): Promise<void> {
    this.asked = { ...this.asked, ...patch }
    await this.open('text' in patch || 'filter' in patch ? 'narrow' : 'sort')
  }

  /** Opens the view that is asked for; the one before answers until it is there. */
  async open(why: Anew = 'refresh'): Promise<void> {
    const turn = (this.#turn += 1)
    const { asked, list } = this
    let view: number | undefined
    try {
      const opened = await call('grid_open', requestOf(list, asked))
      view = opened.view
      const place = await this.keepPlace(why)
      const state = await this.#built(view, opened.generation, turn, {
        ...opened,
        rows_read: 0,
        is_stale: false,
        fault: null,
      })
      if (state === undefined) {
        this.#letGo(view)
        return
      }
      const before = this.standing?.view
      this.#adopt(view, state, asked)
      if (before !== undefined) this.#letGo(before)
      await place?.()
    } catch (error) {
      if (view !== undefined) this.#letGo(view)
      if (turn === this.#turn) this.#failed(error)
    }
  }

  /** Looks whether rows came, went or changed by other hands, and follows. */
  look(): Promise<void> {
    this.#looksAgain = this.#looking !== undefined
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      if (this.#looksAgain) void this.look()
    })
    return this.#looking
  }

  /** Builds the rows anew where they are, also those that no longer fit. */
  async refresh(): Promise<void> {
    const { standing } = this
    if (standing === undefined) return this.open()
    const turn = (this.#turn += 1)
    const place = await this.keepPlace('refresh')
    const { view, asked } = standing
    try {
      await call('grid_refresh', { view })
      const state = await this.#built(view, standing.generation, turn)
      if (state === undefined) return
      this.#adopt(view, state, asked)
      await place?.()
    } catch (error) {
      if (turn === this.#turn) await this.#reopen(error)
    }
  }

  /** Ends the building; what was in view stays, and is what is asked for again. */
  cancel(): void {
    this.#turn += 1
    this.building = undefined
    const { standing } = this
    if (standing === undefined) return
    this.asked = standing.asked
    // One that was opened is let go of by its own watch; one that is built anew goes on answering as it was.
    call('grid_cancel', { view: standing.view }).catch(() => undefined)
  }

  close(): void {
    this.#isClosed = true
    this.#turn += 1
    if (this.standing !== undefined) this.#letGo(this.standing.view)
  }

  async #look(): Promise<void> {
    const { standing } = this
    if (standing === undefined) return
    if (this.building !== undefined) {
      this.#isOverdue = true
      return
    }
    try {
      const state = await call('grid_state', { view: standing.view, generation: null, wait_ms: null })
      if (standing !== this.standing) return
      if (state.generation !== standing.generation || state.total !== standing.grid.total)
        this.#adopt(standing.view, state, standing.asked)
      if (state.is_stale) await this.refresh()
    } catch (error) {
      await this.#reopen(error)
    }
  }

  /** Waits until it is built, telling how far it is; undefined if something else is asked for by now. */
  async #built(view: number, seen: number, turn: number, first?: GridState): Promise<GridState | undefined> {
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

  #adopt(view: number, state: GridState, asked: Asked): void {
    const { standing } = this
    const isSame = standing?.view === view && standing.generation === state.generation
    const generation = isSame ? standing.grid.generation : (this.#orders += 1)
    const grid = { generation, total: state.total, isExact: state.is_exact }
    this.standing = { view, generation: state.generation, asked, grid, deleted: state.deleted }
    this.failure = undefined
    if (!isSame) this.isLoose = false
    if (this.#isOverdue) {
      this.#isOverdue = false
      queueMicrotask(() => void this.look())
    }
  }

  /** Views that were not asked for in a while are let go of by the core. */
  async #reopen(error: unknown): Promise<void> {
    if (toFailure(error).code === 'conflict') await this.open()
    else this.#failed(error)
  }

  #failed(error: unknown): void {
    this.building = undefined
    this.failure = toFailure(error)
  }

  #letGo(view: number): void {
    call('grid_close', { view }).catch(() => undefined)
  }
}

/** Whether a row's own texts decide if it is there, and where. */
function isOrdered({ text, filter, sort }: Asked): boolean {
  return text.trim() !== '' || filter !== null || sort.length > 0
}

/** What `grid_open` wants of it. */
export function requestOf(list: string, { text, filter, sort, hasDeleted }: Asked) {
  const order = { ascending: 'ASC', descending: 'DESC' } as const
  return {
    list,
    filter,
    text: text.trim() === '' ? null : text.trim(),
    sort: sort.map((key) => ({ field: key.field, order: order[key.order] })),
    has_deleted: hasDeleted,
  }
}
