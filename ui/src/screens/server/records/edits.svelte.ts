// The edits that this page made to records of a world, for undo and redo. The server reverses a step exactly, or
// refuses if somebody has changed the same data since.
import { toFailure } from '../../../api/errors'
import { actsIn, operate, type Act, type MakeAct, type Schemas } from '../act'
import { keyOf, nameOf, same, type Kind, type Stored } from './kinds'

export interface Edit {
  kind: Kind
  key: string
  name: string
  step: number
  before: Stored | null
  after: Stored | null
}

export class Edits {
  readonly make: MakeAct
  done = $state.raw<readonly Edit[]>([])
  undone = $state.raw<readonly Edit[]>([])
  /** Increases with every change of a record. */
  version = $state(0)

  constructor(world: string) {
    this.make = actsIn(world)
  }

  /** Performs an act that changes a record from `before`; returns the record afterwards. */
  async act(kind: Kind, act: Act<Stored | null>, before: Stored | null): Promise<Stored | null> {
    const after = await operate(act)
    this.version += 1
    const record = after ?? before
    if (record === null || same(before, after)) return after
    const key = keyOf(kind, record)
    const step = await this.#lastStepOf(kind, key)
    if (step !== undefined)
      this.done = [...this.done, { kind, key, name: nameOf(kind, record), step, before, after }]
    this.undone = []
    return after
  }

  /** Returns undefined if the request fails; the edit is done, but cannot be undone here. */
  async #lastStepOf(kind: Kind, key: string): Promise<number | undefined> {
    try {
      const path = { resource: kind, key }
      const { items } = await operate(
        this.make('GET', '/state/{resource}/{key}/steps', { path, query: { page_size: 1000 } }),
      )
      return items.find(({ is_undone }) => !is_undone)?.step
    } catch {
      return undefined
    }
  }

  /** Returns the request that undoes or redoes an edit. */
  turning(way: 'undo' | 'redo', { kind, key, step, before, after }: Edit): Act<Schemas['Turned']> {
    const record = way === 'undo' ? after : before
    const path = { resource: kind, key }
    return this.make('POST', `/state/{resource}/{key}/${way}`, { path, body: { step, record } })
  }

  async turn(way: 'undo' | 'redo'): Promise<Edit | undefined> {
    const edit = (way === 'undo' ? this.done : this.undone).at(-1)
    if (edit === undefined) return undefined
    try {
      await operate(this.turning(way, edit))
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
  leaveOut(way: 'undo' | 'redo', edit: Edit): void {
    if (way === 'undo') this.done = this.done.filter((one) => one !== edit)
    else this.undone = this.undone.filter((one) => one !== edit)
  }
}

const worlds = new Map<string, Edits>()

/** Returns the edits of a world, for the lifetime of the page. */
export function editsOf(world: string): Edits {
  const known = worlds.get(world) ?? new Edits(world)
  worlds.set(world, known)
  return known
}
