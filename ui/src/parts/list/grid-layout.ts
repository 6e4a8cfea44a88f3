// Stores the layout of the columns (order, widths, shown, frozen) for each list.
import { call } from '../../api/call'
import { PLAIN_LAYOUT, withShown, type GridLayout } from '../../grid/engine/columns'
import { storedValue, type StoredValue } from '../stored-value.svelte'

const keyOf = (list: string): string => `contacts.grid.${list}`

export function getGridLayout(list: string): StoredValue<GridLayout> {
  return storedValue<GridLayout>(keyOf(list), PLAIN_LAYOUT)
}

/** Makes columns of a list visible the next time it is opened, even if they were hidden. */
export async function showColumns(list: string, fields: readonly string[]): Promise<void> {
  const layout = getGridLayout(list)
  // The layout that an earlier session stored may not be loaded yet.
  const { values } = await call('ui_state_get', { keys: [keyOf(list)] })
  layout.adopt(values[keyOf(list)])
  layout.set(fields.reduce((shown, field) => withShown(shown, field, true), layout.current))
}
