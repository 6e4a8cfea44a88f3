// The menu of a heading: sort, hide, show, reset.
import { m } from '../../gen/words'
import type { MenuEntry } from '../act/menu.svelte'
import { DEFAULT_LAYOUT, visibleColumns, type Column, type TableLayout, type TableSort } from './columns'

interface ColumnMenuOptions<Row> {
  column: Column<Row> | undefined
  columns: readonly Column<Row>[]
  layout: TableLayout
  onlayout: ((layout: TableLayout) => void) | undefined
  onsort: ((sort: TableSort) => void) | undefined
}

export function createColumnEntries<Row>({
  column,
  columns,
  layout,
  onlayout,
  onsort,
}: ColumnMenuOptions<Row>): MenuEntry[] {
  const entries: MenuEntry[] = []
  if (column?.sortable === true && onsort !== undefined) {
    entries.push(
      { title: m.kit_table_ascending(), run: () => onsort({ column: column.id, order: 'ascending' }) },
      { title: m.kit_table_descending(), run: () => onsort({ column: column.id, order: 'descending' }) },
      undefined,
    )
  }
  if (onlayout === undefined) return entries.filter((entry) => entry !== undefined)
  const showColumn = (id: string, shown: boolean): void =>
    onlayout({ ...layout, shown: { ...layout.shown, [id]: shown } })
  const isMovable = (one: Column<Row>): boolean => one.fixed !== true && one.head !== true
  if (column !== undefined && isMovable(column))
    entries.push({ title: m.kit_table_hide(), run: () => showColumn(column.id, false) }, undefined)
  const visible = visibleColumns(columns, layout)
  for (const one of columns.filter(isMovable)) {
    const checked = visible.includes(one)
    entries.push({ title: one.title, checked, run: () => showColumn(one.id, !checked) })
  }
  entries.push(undefined, { title: m.kit_table_reset(), run: () => onlayout(DEFAULT_LAYOUT) })
  return entries
}
