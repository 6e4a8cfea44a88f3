// The selection that a restart restores; the frame stores it.
import { createContext } from 'svelte'

export interface KeptSelection {
  keep: (table: string, keys: readonly string[]) => void
  /** Returns the selection from before the restart, once. An effect that reads it runs again when it is loaded. */
  take: (table: string) => readonly string[]
}

const [get, set] = createContext<KeptSelection>()

export const keepSelection = set

/** Returns nothing where a table is outside a frame, as in a test. */
export function keptSelection(): KeptSelection | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}
