// The selection of a grid, as its screen sees it.
import type { Group } from './engine/selection'

export interface Chosen {
  readonly focus: { readonly row: number; readonly column: string }
  /** One group, unless different columns have different rows selected. */
  readonly groups: readonly Group[]
  readonly cells: number
  readonly isSingle: boolean
}

export const NOTHING_CHOSEN: Chosen = {
  focus: { row: 0, column: '' },
  groups: [],
  cells: 0,
  isSingle: true,
}
