// Describes changes of records in words and icons, and counts records.
import type { Component } from 'svelte'
import ArrowRight from '@lucide/svelte/icons/arrow-right'
import Minus from '@lucide/svelte/icons/minus'
import Pencil from '@lucide/svelte/icons/pencil'
import Plus from '@lucide/svelte/icons/plus'
import { m } from '../../../gen/words'
import { formatNumber } from '../../../lib/format'
import { visible } from '../../../lib/text'
import { fieldTitle } from '../../../parts/contact/fields'
import { formatValues } from '../../../parts/contact/values'
import { getOptOutFieldTitle, describeOptOutValue } from '../opt-out'
import type { TreeBranch } from './tree'
import type { ChangeCell, ChangeKind, ChangeNoun, ChangeRow } from './types'

const KINDS: Record<ChangeKind, { title: () => string; icon: Component<{ size?: number }> }> = {
  new: { title: m.changes_kind_new, icon: Plus },
  changed: { title: m.changes_kind_changed, icon: Pencil },
  deleted: { title: m.changes_kind_deleted, icon: Minus },
  moved: { title: m.changes_kind_moved, icon: ArrowRight },
}
const NOUNS: Record<ChangeNoun, () => string> = {
  contact: m.changes_noun_contact,
  list: m.changes_noun_list,
  opt_out: m.changes_noun_opt_out,
  short_link: m.changes_noun_short_link,
  sender: m.changes_noun_sender,
}

export const kindTitle = (kind: ChangeKind): string => KINDS[kind].title()
export const kindIcon = (kind: ChangeKind): Component<{ size?: number }> => KINDS[kind].icon

/** Returns the title of a branch: the name of a list, or the plural of its noun. */
export function branchTitle({ noun, list }: Pick<TreeBranch, 'noun' | 'list'>): string {
  return list === null ? NOUNS[noun]() : visible(list.name)
}

/** Returns the program's title of a field, or else the core's. */
export function getFieldTitle({ field, title }: { field: string; title: string }): string {
  const ofOptOut = getOptOutFieldTitle(field)
  if (ofOptOut !== undefined) return ofOptOut
  const known = fieldTitle({ name: field })
  return known === field ? visible(title) : known
}

export function changeCount(count: number): string {
  return m.changes_count({ n: count, count: formatNumber(count) })
}

/** The text of a row in which no field differs; a sync compares more than it can show. */
const NO_CELLS: Record<Exclude<ChangeKind, 'moved'>, () => string> = {
  new: m.changes_new_empty,
  changed: m.changes_changed_same,
  deleted: m.changes_deleted_empty,
}

/** Describes what happened to a record besides its fields. */
export function describeRow({ kind, cells, list, was_in }: ChangeRow): string | undefined {
  if (kind === 'moved') {
    const to = visible(list?.name ?? '')
    return was_in === null
      ? m.changes_moved_here({ to })
      : m.changes_moved({ from: visible(was_in.name), to })
  }
  return cells.length === 0 ? NO_CELLS[kind]() : undefined
}

/** Returns all changes of a record as text, for the clipboard and tooltips. */
export function changeText(row: ChangeRow): string {
  return [describeRow(row) ?? [], row.cells.map(describeCell)].flat().join('\n')
}

/** Returns whether two values differ only invisibly. */
export function valuesLookAlike({ before, after }: ChangeCell): boolean {
  return before !== null && after !== null && withoutInvisible(before) === withoutInvisible(after)
}

const withoutInvisible = (text: string): string => text.normalize().replace(/\p{Cf}/gu, '').replace(/\s+/gu, ' ').trim() // prettier-ignore

/** Returns both sides of a change for display; a missing value is empty. */
export function formatSides({ field, before, after }: ChangeCell): [before: string, after: string] {
  const sides = [before ?? '', after ?? '']
  const [from = '', to = ''] = formatValues(field, sides).map(
    (text, at) => describeOptOutValue(field, sides[at] ?? '') ?? text,
  )
  return [from, to]
}

/** Returns the change of a field as text. */
export function describeCell(cell: ChangeCell): string {
  const [before, after] =
    getOptOutFieldTitle(cell.field) === undefined
      ? [visible(cell.before ?? ''), visible(cell.after ?? '')]
      : formatSides(cell)
  const field = getFieldTitle(cell)
  if (before === '') return m.changes_cell_new({ field, after })
  if (after === '') return m.changes_cell_gone({ field, before })
  return m.changes_cell({ field, before, after })
}
