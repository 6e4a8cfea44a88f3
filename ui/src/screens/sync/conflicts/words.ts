// Describes conflicts, rules and choices in plain words.
import { m } from '../../../gen/words'
import { visible } from '../../../lib/text'
import { formatValues } from '../../../parts/contact/values'
import { fieldTitle } from '../../../parts/contact/fields'
import type { ConflictChoice, DisputeKind, FieldFork, ConflictRule } from './types'

/** Returns the program's title of a field, or else the core's. */
export function getFieldTitle({ field, title }: { field: string; title: string }): string {
  const known = fieldTitle({ name: field })
  return known === field ? visible(title) : known
}

const RULES: Record<ConflictRule, () => string> = {
  ask: m.conflicts_rule_ask,
  mine: m.conflicts_rule_mine,
  theirs: m.conflicts_rule_theirs,
  non_empty: m.conflicts_rule_non_empty,
  longer: m.conflicts_rule_longer,
}
export const ruleTitle = (rule: ConflictRule): string => RULES[rule]()

type WholeDispute = Exclude<DisputeKind, 'fields'>

/** A way to resolve a conflict about a whole record: an answer about the record, or a choice about the list. */
export interface ConflictWay {
  does: { answer: 'mine' | 'theirs' } | { choice: ConflictChoice }
  title: () => string
  text: () => string
  isLoss?: boolean
}

/** The first way, with key 1, is the local one; the second, with key 2, is the service's. */
export const WAYS: Record<WholeDispute, readonly [ConflictWay, ConflictWay]> = {
  deleted_there: [
    { does: { answer: 'mine' }, title: m.conflicts_make_again, text: m.conflicts_make_again_text },
    {
      does: { answer: 'theirs' },
      title: m.conflicts_delete_here,
      text: m.conflicts_delete_here_text,
      isLoss: true,
    },
  ],
  list_gone: [
    { does: { choice: 'recreate' }, title: m.conflicts_list_recreate, text: m.conflicts_list_recreate_text },
    {
      does: { choice: 'discard' },
      title: m.conflicts_list_discard,
      text: m.conflicts_list_discard_text,
      isLoss: true,
    },
  ],
  list_changed: [
    {
      does: { choice: 'delete_anyway' },
      title: m.conflicts_list_delete,
      text: m.conflicts_list_delete_text,
      isLoss: true,
    },
    { does: { choice: 'discard' }, title: m.conflicts_list_keep, text: m.conflicts_list_keep_text },
  ],
  opt_out_gone: [
    { does: { choice: 'create_again' }, title: m.conflicts_out_again, text: m.conflicts_out_again_text },
    {
      does: { choice: 'let_go' },
      title: m.conflicts_out_let_go,
      text: m.conflicts_out_let_go_text,
      isLoss: true,
    },
  ],
}

const DISPUTES: Record<DisputeKind, () => string> = {
  fields: m.conflicts_dispute_fields,
  deleted_there: m.conflicts_dispute_deleted_there,
  list_gone: m.conflicts_dispute_list_gone,
  list_changed: m.conflicts_dispute_list_changed,
  opt_out_gone: m.conflicts_dispute_opt_out_gone,
}
export const disputeTitle = (dispute: DisputeKind): string => DISPUTES[dispute]()

/** Formats a value of a side, including an empty one. Dates have the same format on all sides, unless only their
 *  spelling differs. */
export function formatValue({ field, base, mine, theirs }: FieldFork, value: string | null): string {
  if (value === null || value === '') return m.conflicts_empty()
  const all = [value, ...[base, mine, theirs].filter((side) => side !== null)]
  return formatValues(field, all)[0] ?? value
}
