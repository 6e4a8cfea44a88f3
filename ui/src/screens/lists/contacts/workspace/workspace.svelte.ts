// The state that the parts of the workspace share: the view, its grid, the selection, and the columns.
import { call } from '../../../../api/call'
import type { FieldInfo, GridFilter } from '../../../../api/generated'
import { m } from '../../../../gen/words'
import type Grid from '../../../../grid/Grid.svelte'
import { NO_SELECTION, type GridSelection } from '../../../../grid/grid-selection'
import { Columns, withShown, type GridLayout } from '../../../../grid/engine/columns'
import { Intervals } from '../../../../grid/engine/intervals'
import { getGridLayout } from '../../../../parts/list/grid-layout'
import type { StoredValue } from '../../../../parts/stored-value.svelte'
import { createGridColumns, READ_ONLY } from '../columns'
import { explainRefusal } from '../paste/fault-words'
import { ListView, type RebuildReason } from './view.svelte'

/** More records with unsaved text are unlikely. */
const MOST_MARKED = 100

/** The rows and columns of an act. */
export interface ActTarget {
  readonly rows: Intervals
  readonly columns: readonly string[]
}

export class Workspace {
  readonly list: string
  readonly view: ListView
  readonly layout: StoredValue<GridLayout>
  /** Null after the grid was destroyed. */
  grid = $state.raw<Grid | null>()
  reportedSelection = $state.raw<GridSelection>(NO_SELECTION)
  /** The rows in view whose records have unsaved text. */
  unsaved = $state.raw<ReadonlySet<number>>(new Set())
  fields = $state.raw<readonly FieldInfo[]>([])
  readonly columns = $derived.by(() => createGridColumns(this.fields))
  /** The fields that hold dates. */
  readonly dates: ReadonlySet<string> = $derived(
    new Set(this.fields.filter(({ kind }) => kind === 'date').map(({ name }) => name)),
  )
  readonly visibleColumns = $derived.by(() => new Columns(this.columns, this.layout.current).shown)

  /** Moves the focus where there are no rows that could take it. */
  withoutRows: () => void = () => undefined

  constructor(list: string) {
    this.list = list
    this.view = new ListView(list)
    this.view.rememberPosition = (why) => this.#rememberPosition(why)
    this.layout = getGridLayout(list)
  }

  title(column: string): string {
    return this.columns.find(({ id }) => id === column)?.title ?? column
  }

  /** Explains why a cell is refused and what would be accepted. */
  refusal({ field, text, message }: { field: string; text: string | null; message: string }): string {
    const info = this.fields.find(({ name }) => name === field)
    if (info?.kind !== 'number') return explainRefusal(info, text ?? undefined, message)
    return text === null || text === '' ? m.contacts_record_number_needed() : m.contacts_number_draft()
  }

  /** The editable columns, in the order of the screen. */
  get writable(): readonly string[] {
    return this.visibleColumns.filter(({ id }) => !READ_ONLY.has(id)).map(({ id }) => id)
  }

  /** Every row of the view. */
  get everything(): Intervals {
    return Intervals.range(0, this.view.total)
  }

  /** The rows with a selected cell. */
  get rows(): Intervals {
    return this.currentSelection.groups.reduce((sum, { rows }) => sum.union(rows), Intervals.EMPTY)
  }

  /** The current selection; `reportedSelection` follows a frame later. */
  get currentSelection(): GridSelection {
    return this.grid?.getSelection() ?? this.reportedSelection
  }

  /** The selected editable cells as a block; undefined if different columns have different rows. */
  get block(): ActTarget | undefined {
    const { groups } = this.currentSelection
    const [group] = groups
    if (group === undefined || groups.length > 1) return undefined
    return { rows: group.rows, columns: group.columns.filter((id) => !READ_ONLY.has(id)) }
  }

  /** Identifies the rows for commands. */
  get viewPosition(): { view: number; generation: number } {
    const { built } = this.view
    if (built === undefined) throw new Error('no rows are in view')
    return { view: built.view, generation: built.generation }
  }

  /** Focuses the rows; if there are none, a button that helps. */
  focus(): void {
    this.grid?.focus()
    const { activeElement: active } = document
    if (active === null || active === document.body) this.withoutRows()
  }

  /** Goes to a cell and shows its column if it is hidden. */
  go(row: number, column?: string): void {
    if (column !== undefined) this.show(column)
    this.grid?.go(row, column)
  }

  show(column: string): void {
    if (this.visibleColumns.some(({ id }) => id === column)) return
    if (this.columns.some(({ id }) => id === column))
      this.layout.set(withShown(this.layout.current, column, true))
  }

  /** Marks the rows of records with unsaved text; returns a function that cancels the search for them. */
  markUnsaved(uids: readonly string[]): (() => void) | undefined {
    const { built } = this.view
    if (built === undefined || uids.length === 0) {
      if (this.unsaved.size > 0) this.unsaved = new Set()
      return undefined
    }
    let isWanted = true
    Promise.all(uids.slice(0, MOST_MARKED).map((uid) => rowOf(built.view, uid))).then(
      (rows) => isWanted && (this.unsaved = new Set(rows.filter((row) => row !== undefined))),
      () => undefined,
    )
    return () => (isWanted = false)
  }

  /** Reads the rows in view again after an act outside the grid changed them. */
  async reloadRows(rows?: Intervals): Promise<void> {
    this.grid?.stale(rows)
    this.touched()
    await this.view.checkForChanges()
  }

  /** Handles a change of rows that was made here, but not by the grid itself. */
  async handleLocalChange(rows?: Intervals): Promise<void> {
    this.view.markOutdated()
    await this.reloadRows(rows)
  }

  /** Updates what depends on the content of the selection, although the selection is the same. */
  touched(): void {
    this.reportedSelection = this.currentSelection
  }

  /** Adds a condition to the filter. A selection of values replaces an earlier one of the same field. */
  async narrowTo(filter: GridFilter): Promise<void> {
    await this.view.narrow({ filter: joinFilters(this.view.request.filter, filter) })
  }

  async #rememberPosition(why: RebuildReason): Promise<(() => Promise<void>) | undefined> {
    const grid = this.grid ?? undefined
    const { built } = this.view
    if (grid === undefined || built === undefined || built.grid.total === 0) return undefined
    const { focus, groups, isSingle } = grid.getSelection()
    const below = focus.row - grid.top()
    if (why === 'sort') return async () => this.grid?.go(0, focus.column)
    const marks = isSingle ? [] : findRangeEnds(groups.map(({ rows }) => rows))
    const [uid, ...others] = await Promise.all(
      [focus.row, ...marks].map(async (row) => (await uidOf(built.view, row)) ?? ''),
    )
    return async () => {
      const now = this.view.built
      if (now === undefined || uid === undefined) return
      const row = uid === '' ? undefined : await rowOf(now.view, uid)
      const stayed = await Promise.all(
        others.map(async (other, at) => other !== '' && (await rowOf(now.view, other)) === marks[at]),
      )
      // If the rows have not moved, they stay selected.
      if (row === focus.row && !stayed.includes(false)) return
      if (row !== undefined) this.grid?.settle(row, focus.column, below)
      else if (why === 'narrow') this.grid?.go(0, focus.column)
      else this.grid?.settle(Math.min(focus.row, Math.max(0, now.grid.total - 1)), focus.column, below)
    }
  }
}

/** Returns the first and last rows of the selected ranges. If these have not moved, the rows between probably have
 *  not either. */
function findRangeEnds(all: readonly Intervals[]): number[] {
  const ends = all.flatMap((rows) => rows.pairs.slice(0, 3).flatMap(([from, to]) => [from, to - 1]))
  return [...new Set(ends)].slice(0, 8)
}

async function uidOf(view: number, row: number): Promise<string | null> {
  return (await call('grid_uid', { view, row })).uid
}

async function rowOf(view: number, uid: string): Promise<number | undefined> {
  return (await call('grid_locate', { view, uid })).row ?? undefined
}

/** Combines two filters that must both hold. A selection of values replaces an earlier one of the same field. */
export function joinFilters(filter: GridFilter | null, more: GridFilter): GridFilter {
  if (filter === null) return { all: [more] }
  const parts = 'all' in filter ? filter.all : [filter]
  const kept = parts.filter((part) => !isChoiceOf(part, more))
  return { all: [...kept, more] }
}

function isChoiceOf(part: GridFilter, more: GridFilter): boolean {
  const isSame = (one: GridFilter): one is GridFilter & { one_of: unknown; field: string } => 'one_of' in one
  return isSame(part) && isSame(more) && part.field === more.field
}
