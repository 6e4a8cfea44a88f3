// What the grid asks of whoever has the rows, and what it tells to whoever shows it. Neither knows the other.
import type { FetchWindow } from './blocks'
import type { PastePlan } from './clip'
import type { GridLayout, SortKey } from './columns'
import type { Intervals } from './intervals'
import type { Group } from './selection'

/** The ordered rows as they stand now. */
export interface GridView {
  /** Changes when rows may stand elsewhere; the same one for the same order. */
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

export interface Outcome {
  readonly changed: number
  /** Rows added at the end. */
  readonly added?: number
  /** Cells kept as drafts, because a rule refuses them. */
  readonly drafts?: number
  /** A paste whose rows were turned into columns. */
  readonly isTurned?: boolean
  /** The first few refusals, in the rule's own words. */
  readonly faults?: readonly { readonly row: number; readonly column: string; readonly message: string }[]
}

/** Acts on all that is chosen, as the core takes them. */
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
  /** The bytes of a window (format RRG1), of at most 200 rows. */
  window: FetchWindow
  /** One undo step. */
  edit(cells: readonly CellEdit[]): Promise<Outcome>
  /** Undefined if the person was asked and said no. */
  paste(plan: PastePlan, special: boolean): Promise<Outcome | undefined>
  /** Like a paste of one's own cells: nobody is asked. Without it, `paste` does. */
  fillIn?(plan: PastePlan): Promise<Outcome>
  /** Mostly one group; more where different rows are chosen in different columns. */
  act(groups: readonly Group[], act: GridAct): Promise<Outcome | undefined>
  /** The end of the run of filled (or empty) cells above or below; without it, the first or last row. */
  edge?(row: number, column: string, back: boolean): Promise<number>
  /**
   * Tab-separated text of more cells than the page holds; undefined if it is on the clipboard already, since very
   * large copies need not pass through the page.
   */
  copy?(rows: Intervals, columns: readonly string[], headings: boolean): Promise<string | undefined>
  /** Why a text would be refused, while it is typed. */
  check?(column: string, text: string, row: number): Promise<string | undefined>
  /** The values that a column has already, the most frequent first. */
  values?(column: string): Promise<readonly string[]>
  /** Why the draft in a cell was refused. */
  explain?(row: number, column: string): Promise<string | undefined>
}

export type ResultOf = 'edit' | 'clear' | 'paste' | 'fill' | 'revert' | 'set'

/** What happened, for a person who hears rather than sees. */
export type Told =
  | { readonly told: 'moved' }
  | { readonly told: 'chosen'; readonly rows: number; readonly cells: number }
  | { readonly told: 'result'; readonly of: ResultOf; readonly outcome: Outcome }
  | { readonly told: 'copied'; readonly rows: number; readonly cells: number; readonly cut: boolean }
  | {
      readonly told: 'refused'
      readonly why: 'too-many' | 'not-a-block' | 'read-only' | 'nothing' | 'clipboard'
    }

/** What the engine asks of the screen around it. */
export interface Hooks {
  /** Something to paint; any number of times a frame. */
  changed(): void
  tell(told: Told): void
  failed(error: unknown): void
  /** Where the focus or the selection is now differs. */
  chosen(): void
  layout(layout: GridLayout): void
  sort(sort: readonly SortKey[]): void
  // Whether the screen has a meaning for it; where it has none, the press goes on to the screen's commands.
  open(row: number): boolean
  add(): boolean
  remove(rows: Intervals): boolean
  filterTo(column: string, text: string): boolean
  /** At the pointer, or at the focused cell. */
  menu(at?: MouseEvent): void
  columnMenu(column: string): void
  /** Opens the editor; the press that began it goes on into it. */
  editing(): void
  copyText(text: string, html?: string): Promise<boolean>
}
