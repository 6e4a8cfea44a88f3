// State of the page that a restart restores: sizes, columns, the last route. It is neither undoable nor data.
import { call } from '../api/call'
import type { Json } from '../lib/json'

const QUIET_MS = 300
const known = new Map<string, StoredValue<Json>>()

/** A stored value. A template that reads `current` updates with it. */
export class StoredValue<T extends Json> {
  current = $state.raw() as T
  #timer: ReturnType<typeof setTimeout> | undefined
  #wasSet = false

  constructor(
    private readonly key: string,
    initial: T,
  ) {
    this.current = initial
  }

  set(value: T): void {
    this.current = value
    this.#wasSet = true
    clearTimeout(this.#timer)
    // Dragging a splitter sets a hundred values; only the last one is stored.
    this.#timer = setTimeout(() => {
      call('ui_state_put', { key: this.key, value }).catch(() => undefined)
    }, QUIET_MS)
  }

  /** Takes over the stored value, unless the user has set one already. */
  adopt(value: unknown): void {
    if (!this.#wasSet && value !== null && value !== undefined) this.current = value as T
  }
}

/** Returns the value stored under `key`, or `initial` until it is loaded; always the same object for the same key. */
export function storedValue<T extends Json>(key: string, initial: T): StoredValue<T> {
  const old = known.get(key)
  if (old !== undefined) return old as unknown as StoredValue<T>
  const fresh = new StoredValue<T>(key, initial)
  known.set(key, fresh as unknown as StoredValue<Json>)
  call('ui_state_get', { keys: [key] })
    .then(({ values }) => fresh.adopt(values[key]))
    .catch(() => undefined)
  return fresh
}
