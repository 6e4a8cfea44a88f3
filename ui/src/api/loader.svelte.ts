// Loads data of the core, again whenever it may have changed, and keeps the failure of the last load.
import { coalesce } from '../lib/coalesce'
import { toFailure, type Failure } from './errors'

/** Returns a function that loads. While it fails, the old data stay in view, and `owner` has the failure. */
export function createLoad(
  owner: { failure: Failure | undefined },
  read: () => Promise<unknown>,
): () => Promise<void> {
  return coalesce(async () => {
    try {
      await read()
      owner.failure = undefined
    } catch (error) {
      owner.failure = toFailure(error)
    }
  })
}

/** The load of a component, whose data are states of its own. */
export class DataLoader {
  failure = $state.raw<Failure>()
  readonly load: () => Promise<void>

  constructor(read: () => Promise<unknown>) {
    this.load = createLoad(this, read)
  }
}
