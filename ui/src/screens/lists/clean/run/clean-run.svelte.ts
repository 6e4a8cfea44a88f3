// A run of the core over a whole list, whose result the core keeps: start, follow to the end, check, repeat.
import { toFailure, type Failure } from '../../../../api/errors'

export interface RunStatus {
  id: number
  list: string | null
  generation: number
  is_working: boolean
  rows_read: number
  rows_total: number
  is_stale: boolean
  fault: string | null
}

export interface RunCalls<S extends RunStatus> {
  open: () => Promise<S>
  state: (id: number, wait: number) => Promise<S>
  refresh: (id: number) => Promise<unknown>
  cancel: (id: number) => Promise<unknown>
  close: (id: number) => Promise<unknown>
}

/** Short enough that the call is not reported as slow. */
const WAIT_MS = 300

export class CleanRun<S extends RunStatus> {
  status = $state.raw<S>()
  failure = $state.raw<Failure>()
  /** Whether the user cancelled the run; the results found so far remain. */
  isStopped = $state(false)
  #shownKey = ''
  #openTurn = 0
  #followedId: number | undefined

  constructor(
    private readonly list: string | null,
    private readonly calls: RunCalls<S>,
    /** Called when there are new results. */
    private readonly onfound: () => Promise<void>,
  ) {}

  /** Starts a run and closes the previous one. */
  async open(): Promise<void> {
    const turn = ++this.#openTurn
    const old = this.status?.id
    await this.#runGuarded(async () => {
      const begun = await this.calls.open()
      const isLate = turn !== this.#openTurn
      const unwanted = isLate ? begun.id : old
      if (unwanted !== undefined) void this.calls.close(unwanted).catch(() => undefined)
      if (!isLate) await this.#followRun(begun)
    })
  }

  /** Loads the current status. If the core has closed the run, starts it again. */
  async checkStatus(): Promise<void> {
    const id = this.status?.id
    if (id === undefined) return this.open()
    try {
      const now = await this.calls.state(id, 0)
      // A restarted core numbers runs from one again, so the ID may belong to another list.
      if (now.list !== this.list) return await this.#restart()
      await this.#followRun(now)
    } catch (error) {
      const failure = toFailure(error)
      if (failure.code === 'conflict') await this.#restart()
      else this.failure = failure
    }
  }

  async refresh(): Promise<void> {
    const id = this.status?.id
    if (id === undefined) return this.open()
    await this.#runGuarded(async () => {
      await this.calls.refresh(id)
      await this.#followRun(await this.calls.state(id, 0))
    })
  }

  async cancel(): Promise<void> {
    const id = this.status?.id
    if (id === undefined) return
    this.isStopped = true
    await this.calls.cancel(id)
  }

  close(): void {
    const id = this.status?.id
    this.status = undefined
    if (id !== undefined) void this.calls.close(id).catch(() => undefined)
  }

  async #restart(): Promise<void> {
    this.status = undefined
    await this.open()
  }

  async #followRun(first: S): Promise<void> {
    const { id } = first
    if (first.is_working) this.isStopped = false
    this.status = first
    // An earlier call already follows this run and will report its results.
    if (this.#followedId === id) return
    this.#followedId = id
    try {
      for (let now = first; now.is_working; this.status = now) {
        now = await this.calls.state(id, WAIT_MS)
        if (this.status?.id !== id) return
      }
    } finally {
      if (this.#followedId === id) this.#followedId = undefined
    }
    this.failure = undefined
    const shown = `${id} ${this.status.generation}`
    if (shown === this.#shownKey) return
    this.#shownKey = shown
    await this.onfound()
  }

  async #runGuarded(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.failure = toFailure(error)
    }
  }
}
