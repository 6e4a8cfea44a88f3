// What the page finds again after a restart: sizes, columns, the last place. Not undoable, not data.
import { call } from '../api/call'
import type { Json } from '../lib/json'

const QUIET_MS = 300
const known = new Map<string, Remembered<Json>>()

/** One remembered value; reading `current` in a template follows it. */
export class Remembered<T extends Json> {
  current = $state.raw() as T
  #timer: ReturnType<typeof setTimeout> | undefined
  #touched = false

  constructor(
    private readonly key: string,
    initial: T,
  ) {
    this.current = initial
  }

  set(value: T): void {
    this.current = value
    this.#touched = true
    clearTimeout(this.#timer)
    // Dragging a splitter sets a hundred values; the last one is worth keeping.
    this.#timer = setTimeout(() => {
      call('ui_state_put', { key: this.key, value }).catch(() => undefined)
    }, QUIET_MS)
  }

  /** What was kept comes in, unless the person was faster. */
  adopt(value: unknown): void {
    if (!this.#touched && value !== null && value !== undefined) this.current = value as T
  }
}

/** The value kept under `key`, or `initial` until one is known; the same object for the same key. */
export function remembered<T extends Json>(key: string, initial: T): Remembered<T> {
  const old = known.get(key)
  if (old !== undefined) return old as unknown as Remembered<T>
  const fresh = new Remembered<T>(key, initial)
  known.set(key, fresh as unknown as Remembered<Json>)
  call('ui_state_get', { keys: [key] })
    .then(({ values }) => fresh.adopt(values[key]))
    .catch(() => undefined)
  return fresh
}

/** Another account has other sizes and columns. */
export function forgetRemembered(): void {
  known.clear()
}
