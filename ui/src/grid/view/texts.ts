// The texts that the grid needs, provided by its screen in the user's language.
import type { GridAnnouncement } from '../engine/source'

/** Opted out: 0 nowhere, 1 from some senders, 2 from the whole account. */
export type OptOutLevel = 0 | 1 | 2

export interface GridTexts {
  /** Formats a row's number, counted from one. */
  number(row: number): string
  /** The heading above the row numbers. */
  numbers(): string
  blank(): string
  /** Announces the focus; `value` is empty for an empty cell. */
  position(at: { title: string; value: string; row: string; total: string; marks: readonly string[] }): string
  /** Announces every event except moves. */
  announce(announcement: Exclude<GridAnnouncement, { kind: 'moved' }>): string
  /** The states of a row or cell. */
  draft(): string
  gone(): string
  /** Deleted or added here, and not yet sent to the service. */
  deleted(): string
  added(): string
  changed(): string
  /** Changed here and at the service. */
  conflict(): string
  left(): string
  duplicate(): string
  /** The record of the row has unsaved text. */
  unsaved(): string
  optedOut(sms: OptOutLevel, whatsapp: OptOutLevel): string
  /** The labels of a column's menu button, its sort mark and the field in which a cell is edited. */
  columnMenu(title: string): string
  turnSort(title: string): string
  editor(title: string, row: string): string
  /** The labels of the fill handle and of the list of values that the column has already. */
  handle(): string
  values(title: string): string
}
