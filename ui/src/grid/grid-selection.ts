// The selection of a grid, as its screen sees it.
import type { SelectionGroup } from './engine/selection'

export interface GridSelection {
  readonly focus: { readonly row: number; readonly column: string }
  /** One group, unless different columns have different rows selected. */
  readonly groups: readonly SelectionGroup[]
  readonly cells: number
  readonly isSingle: boolean
}

export const NO_SELECTION: GridSelection = {
  focus: { row: 0, column: '' },
  groups: [],
  cells: 0,
  isSingle: true,
}
