// What was done to single records of a world on this page, to be taken back and done again. The server turns the step: it
// does so exactly, or not at all when somebody changed something of it since.
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
  /** Counts up with whatever changed a record. */
  version = $state(0)

  constructor(world: string) {
    this.make = actsIn(world)
  }

  /** Does what changes a record that was `before`; answers what it is then. */
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

  /** Nothing where it cannot be asked: the edit is done, and merely cannot be taken back here. */
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

  /** The act that takes an edit back, or does it again. */
  turning(way: 'undo' | 'redo', { kind, key, step, before, after }: Edit): Act<Schemas['StepTurnResult']> {
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
      // A world that was reset knows nothing of it any more.
      if (toFailure(error).code === 'not_found') this.leaveOut(way, edit)
      throw error
    }
    this.version += 1
    this.leaveOut(way, edit)
    if (way === 'undo') this.undone = [...this.undone, edit]
    else this.done = [...this.done, edit]
    return edit
  }

  /** Passes over what cannot be turned any more; others may have been done since. */
  leaveOut(way: 'undo' | 'redo', edit: Edit): void {
    if (way === 'undo') this.done = this.done.filter((one) => one !== edit)
    else this.undone = this.undone.filter((one) => one !== edit)
  }
}

const worlds = new Map<string, Edits>()

/** Those of a world, for as long as the page is there. */
export function editsOf(world: string): Edits {
  const known = worlds.get(world) ?? new Edits(world)
  worlds.set(world, known)
  return known
}
