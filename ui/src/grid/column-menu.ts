// The menu of a column: sort, freeze, fit, hide, and open the dialog of columns.
import { m } from '../gen/words'
import type { MenuEntry } from '../kit/act/menu.svelte'
import {
  arrangeColumns,
  freezeUpTo,
  isShown,
  nextSortKeys,
  withShown,
  type GridColumn,
  type GridLayout,
  type ColumnSortOrder,
  type SortKey,
} from './engine/columns'

interface ColumnMenuOptions {
  column: string
  columns: readonly GridColumn[]
  layout: GridLayout
  sort: readonly SortKey[]
  fit: () => void
  onlayout: (layout: GridLayout) => void
  onsort: (sort: readonly SortKey[]) => void
  /** Opens the dialog of columns. */
  oncolumns: () => void
  /** Entries of the screen, such as filters. */
  more: readonly MenuEntry[]
}

export function createColumnMenu({
  column,
  columns,
  layout,
  sort,
  fit,
  onlayout,
  onsort,
  oncolumns,
  more,
}: ColumnMenuOptions): MenuEntry[] {
  const entries: MenuEntry[] = []
  const by = (order: ColumnSortOrder, adds: boolean) => (): void =>
    onsort(nextSortKeys(sort, column, order, adds))
  if (columns.find(({ id }) => id === column)?.isSortable !== false) {
    entries.push(
      { title: m.kit_grid_ascending(), run: by('ascending', false) },
      { title: m.kit_grid_descending(), run: by('descending', false) },
    )
    if (sort.some(({ field }) => field !== column))
      entries.push(
        { title: m.kit_grid_also_ascending(), run: by('ascending', true) },
        { title: m.kit_grid_also_descending(), run: by('descending', true) },
      )
    if (sort.some(({ field }) => field === column))
      entries.push({
        title: m.kit_grid_unsort(),
        run: () => onsort(sort.filter(({ field }) => field !== column)),
      })
    entries.push(undefined)
  }
  if (more.length > 0) entries.push(...more, undefined)
  entries.push({ title: m.kit_grid_freeze(), run: () => onlayout(freezeUpTo(columns, layout, column)) })
  if (layout.frozen.length > 0)
    entries.push({ title: m.kit_grid_unfreeze(), run: () => onlayout(freezeUpTo(columns, layout)) })
  const shown = arrangeColumns(columns, layout).filter((each) => isShown(each, layout))
  entries.push(
    { title: m.kit_grid_fit(), run: fit },
    {
      title: m.kit_grid_hide(),
      disabled: shown.length < 2,
      run: () => onlayout(withShown(layout, column, false)),
    },
    { title: m.kit_grid_columns(), run: oncolumns },
  )
  return entries
}
