// The selected rows of the table in view, stored with the route and restored once after a restart.
import type { StoredSelection } from '../kit/table/stored-selection'
import { storedValue } from '../parts/stored-value.svelte'

export const SELECTION = 'frame.selection'
/** More rows are not worth restoring after a restart. */
const MOST = 200

type StoredKeys = { place: string; table: string; keys: string[] }

class SelectionOfPlace implements StoredSelection {
  #toRestore = $state.raw<StoredKeys>()

  /** Takes over a stored selection, if it has the form that this version stores. */
  adopt(value: unknown): void {
    const { place, table, keys } = (value ?? {}) as Partial<StoredKeys>
    if (typeof place === 'string' && typeof table === 'string' && Array.isArray(keys) && keys.length > 0)
      this.#toRestore = { place, table, keys }
  }

  readonly take = (table: string): readonly string[] => {
    const awaited = this.#toRestore
    if (awaited === undefined) return []
    if (awaited.place === location.hash && awaited.table !== table) return []
    this.#toRestore = undefined
    return awaited.place === location.hash ? awaited.keys : []
  }

  readonly keep = (table: string, keys: readonly string[]): void => {
    // A table starts with an empty selection, which is not yet a choice of the user.
    if (keys.length === 0 && this.#toRestore !== undefined) return
    storedValue<StoredKeys>(SELECTION, { place: '', table: '', keys: [] }).set({
      place: location.hash,
      table,
      keys: keys.slice(0, MOST),
    })
  }
}

export const routeSelection = new SelectionOfPlace()
