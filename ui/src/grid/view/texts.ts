// The words the grid needs; whoever mounts it gives them, in the person's language.
import type { Told } from '../engine/source'

/** 0 none, 1 from some senders, 2 from the whole account. */
export type Reach = 0 | 1 | 2

export interface GridTexts {
  /** A row's number as it is read, counted from one. */
  number(row: number): string
  /** The heading above the row numbers. */
  numbers(): string
  blank(): string
  /** Where the focus is; `value` is empty for an empty cell. */
  position(at: { title: string; value: string; row: string; total: string; marks: readonly string[] }): string
  /** What happened; for all but moves. */
  told(told: Exclude<Told, { told: 'moved' }>): string
  /** The states of a row or cell. */
  draft(): string
  gone(): string
  /** Deleted or added here, and not yet at the service. */
  deleted(): string
  added(): string
  changed(): string
  left(): string
  duplicate(): string
  /** The record of the row has text that is not saved. */
  unsaved(): string
  optedOut(sms: Reach, whatsapp: Reach): string
  /** The button of a column's menu, the mark of its sorting and the field a cell is edited in. */
  columnMenu(title: string): string
  turnSort(title: string): string
  editor(title: string, row: string): string
  /** The handle that fills, and the list of values that the column has already. */
  handle(): string
  values(title: string): string
}
