// The chosen rows that a restart finds again; who keeps them is said by the frame.
import { createContext } from 'svelte'

export interface KeptSelection {
  keep: (table: string, keys: readonly string[]) => void
  /** What was chosen before the restart, once; read in an effect, it is asked again when it is known. */
  take: (table: string) => readonly string[]
}

const [get, set] = createContext<KeptSelection>()

export const keepSelection = set

/** None where a table stands outside of a frame, as in a test. */
export function keptSelection(): KeptSelection | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}
