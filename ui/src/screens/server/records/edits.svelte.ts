// The edits that this page made to records of a world, for undo and redo. The server reverses a step exactly, or
// refuses if somebody has changed the same data since.
import { toFailure } from '../../../api/errors'
import {
  createRequestMaker,
  sendRequest,
  type AdminRequest,
  type MakeRequest,
  type Schemas,
} from '../admin-request'
import { getKey, getName, isSameRecord, type StoredKind, type StoredRecord } from './kinds'

export interface RecordEdit {
  kind: StoredKind
  key: string
  name: string
  step: number
  before: StoredRecord | null
  after: StoredRecord | null
}

export class RecordEdits {
  readonly make: MakeRequest
  done = $state.raw<readonly RecordEdit[]>([])
  undone = $state.raw<readonly RecordEdit[]>([])
  /** Increases with every change of a record. */
  version = $state(0)

  constructor(world: string) {
    this.make = createRequestMaker(world)
  }

  /** Performs an act that changes a record from `before`; returns the record afterwards. */
  async act(
    kind: StoredKind,
    act: AdminRequest<StoredRecord | null>,
    before: StoredRecord | null,
  ): Promise<StoredRecord | null> {
    const after = await sendRequest(act)
    this.version += 1
    const record = after ?? before
    if (record === null || isSameRecord(before, after)) return after
    const key = getKey(kind, record)
    const step = await this.#lastStepOf(kind, key)
    if (step !== undefined)
      this.done = [...this.done, { kind, key, name: getName(kind, record), step, before, after }]
    this.undone = []
    return after
  }

  /** Returns undefined if the request fails; the edit is done, but cannot be undone here. */
  async #lastStepOf(kind: StoredKind, key: string): Promise<number | undefined> {
    try {
      const path = { resource: kind, key }
      const { items } = await sendRequest(
        this.make('GET', '/state/{resource}/{key}/steps', { path, query: { page_size: 1000 } }),
      )
      return items.find(({ is_undone }) => !is_undone)?.step
    } catch {
      return undefined
    }
  }

  /** Returns the request that undoes or redoes an edit. */
  turning(
    way: 'undo' | 'redo',
    { kind, key, step, before, after }: RecordEdit,
  ): AdminRequest<Schemas['StepTurnResult']> {
    const record = way === 'undo' ? after : before
    const path = { resource: kind, key }
    return this.make('POST', `/state/{resource}/{key}/${way}`, { path, body: { step, record } })
  }

  async undoOrRedo(way: 'undo' | 'redo'): Promise<RecordEdit | undefined> {
    const edit = (way === 'undo' ? this.done : this.undone).at(-1)
    if (edit === undefined) return undefined
    try {
      await sendRequest(this.turning(way, edit))
    } catch (error) {
      // A world that was reset no longer has the step.
      if (toFailure(error).code === 'not_found') this.leaveOut(way, edit)
      throw error
    }
    this.version += 1
    this.leaveOut(way, edit)
    if (way === 'undo') this.undone = [...this.undone, edit]
    else this.done = [...this.done, edit]
    return edit
  }

  /** Skips an edit that can no longer be undone or redone, so that the ones before it can. */
  leaveOut(way: 'undo' | 'redo', edit: RecordEdit): void {
    if (way === 'undo') this.done = this.done.filter((one) => one !== edit)
    else this.undone = this.undone.filter((one) => one !== edit)
  }
}

const worlds = new Map<string, RecordEdits>()

/** Returns the edits of a world, for the lifetime of the page. */
export function getEdits(world: string): RecordEdits {
  const known = worlds.get(world) ?? new RecordEdits(world)
  worlds.set(world, known)
  return known
}
