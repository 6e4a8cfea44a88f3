// The selection that a restart restores; the frame stores it.
import { createContext } from 'svelte'

export interface StoredSelection {
  keep: (table: string, keys: readonly string[]) => void
  /** Returns the selection from before the restart, once. An effect that reads it runs again when it is loaded. */
  take: (table: string) => readonly string[]
}

const [get, set] = createContext<StoredSelection>()

export const provideStoredSelection = set

/** Returns nothing where a table is outside a frame, as in a test. */
export function getStoredSelection(): StoredSelection | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}
