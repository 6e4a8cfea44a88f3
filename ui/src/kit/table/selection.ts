// Which rows of a table are selected, by the rules that every file list follows; a key identifies a row.

export interface TableSelection {
  chosen: ReadonlySet<string>
  /** The row where a range begins. */
  anchor: string | undefined
  /** The focused row. */
  current: string | undefined
}

export type SelectionMode = 'only' | 'toggle' | 'extend' | 'move'

export const EMPTY_SELECTION: TableSelection = { chosen: new Set(), anchor: undefined, current: undefined }

/** Returns the selection after a click or a key reaches `key`: selected alone, toggled, as the end of a range, or
 *  only focused. */
export function selectRow(
  old: TableSelection,
  rows: readonly string[],
  key: string,
  reach: SelectionMode,
): TableSelection {
  switch (reach) {
    case 'only':
      return { chosen: new Set([key]), anchor: key, current: key }
    case 'toggle': {
      const chosen = new Set(old.chosen)
      if (!chosen.delete(key)) chosen.add(key)
      return { chosen, anchor: key, current: key }
    }
    case 'extend': {
      const anchor = old.anchor !== undefined && rows.includes(old.anchor) ? old.anchor : key
      const [from, to] = [rows.indexOf(anchor), rows.indexOf(key)].toSorted((a, b) => a - b)
      // Rows selected on other pages stay selected.
      const elsewhere = [...old.chosen].filter((other) => !rows.includes(other))
      return { chosen: new Set([...elsewhere, ...rows.slice(from, (to ?? 0) + 1)]), anchor, current: key }
    }
    case 'move':
      return { ...old, current: key }
  }
}

export function selectAll(old: TableSelection, rows: readonly string[]): TableSelection {
  return { ...old, chosen: new Set([...old.chosen, ...rows]) }
}

export function selectNone(old: TableSelection): TableSelection {
  return { ...old, chosen: new Set() }
}

/** Returns the row to which a key leads from the current one. */
export function rowAfterKey(
  key: string,
  rows: readonly string[],
  current: string | undefined,
  page: number,
): string | undefined {
  const at = current === undefined ? -1 : rows.indexOf(current)
  const last = rows.length - 1
  const to = {
    ArrowDown: Math.min(at + 1, last),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: last,
    PageDown: Math.min(at + page, last),
    PageUp: Math.max(at - page, 0),
  }[key]
  return to === undefined ? undefined : rows[to]
}
