// The interface between the grid and its data source, and between the grid and the screen that shows it.
import type { FetchWindow } from './blocks'
import type { PastePlan } from './clip'
import type { GridLayout, SortKey } from './columns'
import type { Intervals } from './intervals'
import type { SelectionGroup } from './selection'

/** The current number and order of the rows. */
export interface GridView {
  /** Changes when the order of the rows may have changed. */
  readonly generation: number
  readonly total: number
  /** False while `total` is an estimate. */
  readonly isExact: boolean
}

export interface CellEdit {
  readonly row: number
  readonly column: string
  /** Null empties the cell. */
  readonly text: string | null
}

export interface EditOutcome {
  readonly changed: number
  /** The number of rows added at the end. */
  readonly added?: number
  /** The number of cells stored as drafts, because a rule refuses their text. */
  readonly drafts?: number
  /** A paste whose rows became columns. */
  readonly isTransposed?: boolean
  /** The first few refusals, with the rule's own message. */
  readonly faults?: readonly { readonly row: number; readonly column: string; readonly message: string }[]
}

/** Acts on the whole selection, in the form that the core takes. */
export type GridAct =
  | { readonly set: string }
  | { readonly clear: true }
  | { readonly fill: 'down' | 'right' }
  | {
      readonly series: {
        readonly start: string
        readonly step: string
        readonly prefix: string
        readonly pad: number
      }
    }
  | { readonly revert: true }

export interface GridSource {
  /** Returns the bytes of a window (format RRG1) of at most 200 rows. */
  window: FetchWindow
  /** Writes cells in one undo step. */
  edit(cells: readonly CellEdit[]): Promise<EditOutcome>
  /** Pastes; undefined if the user was asked and declined. */
  paste(plan: PastePlan, special: boolean): Promise<EditOutcome | undefined>
  /** Fills without asking, like a paste of the grid's own cells. Without it, the grid uses `paste`. */
  fillIn?(plan: PastePlan): Promise<EditOutcome>
  /** Acts on the selection: one group, unless different columns have different rows selected. */
  act(groups: readonly SelectionGroup[], act: GridAct): Promise<EditOutcome | undefined>
  /** Returns the end of the run of filled (or empty) cells above or below. Without it, the grid uses the first or
   *  last row. */
  edge?(row: number, column: string, back: boolean): Promise<number>
  /** Returns tab-separated text of more cells than the page has loaded; undefined if the core has put it on the
   *  clipboard already, since very large copies need not pass through the page. */
  copy?(rows: Intervals, columns: readonly string[], headings: boolean): Promise<string | undefined>
  /** Returns why a text would be refused, while the user types it. */
  check?(column: string, text: string, row: number): Promise<string | undefined>
  /** Returns the values that a column has already, the most frequent first. */
  values?(column: string): Promise<readonly string[]>
  /** Returns why the draft in a cell was refused. */
  explain?(row: number, column: string): Promise<string | undefined>
}

export type ResultOf = 'edit' | 'clear' | 'paste' | 'fill' | 'revert' | 'set'

/** A result in a form that can be announced to screen readers. */
export type GridAnnouncement =
  | { readonly kind: 'moved' }
  | { readonly kind: 'chosen'; readonly rows: number; readonly cells: number }
  | { readonly kind: 'result'; readonly of: ResultOf; readonly outcome: EditOutcome }
  | { readonly kind: 'copied'; readonly rows: number; readonly cells: number; readonly cut: boolean }
  | {
      readonly kind: 'refused'
      readonly why: 'too-many' | 'not-a-block' | 'read-only' | 'nothing' | 'clipboard'
    }

/** What the engine needs of the screen around it. */
export interface EngineHooks {
  /** Requests painting; may be called any number of times a frame. */
  changed(): void
  announce(announcement: GridAnnouncement): void
  failed(error: unknown): void
  /** The focus or the selection has changed. */
  selectionChanged(): void
  layout(layout: GridLayout): void
  sort(sort: readonly SortKey[]): void
  // These return whether the screen handles the key; if not, it goes on to the screen's commands.
  open(row: number): boolean
  add(): boolean
  remove(rows: Intervals): boolean
  filterTo(column: string, text: string): boolean
  /** Opens the context menu at the pointer, or at the focused cell. */
  menu(at?: MouseEvent): void
  columnMenu(column: string): void
  /** Opens the editor. The key press that began the edit goes on into it. */
  editing(): void
  /** An edit has begun that is not saved yet, or every edit is saved. */
  unfinished(is: boolean): void
  copyText(text: string, html?: string): Promise<boolean>
}
