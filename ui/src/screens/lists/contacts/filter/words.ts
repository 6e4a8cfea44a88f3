// The names of operators and subjects in filters.
import { m } from '../../../../gen/words'
import type { FilterOp, SpecialSubject } from './tree'

export const OP_TITLES: Readonly<Record<FilterOp, () => string>> = {
  is: m.contacts_op_is,
  is_not: m.contacts_op_is_not,
  contains: m.contacts_op_contains,
  contains_not: m.contacts_op_contains_not,
  starts: m.contacts_op_starts,
  ends: m.contacts_op_ends,
  matches: m.contacts_op_matches,
  matches_not: m.contacts_op_matches_not,
  one_of: m.contacts_op_one_of,
  blank: m.contacts_op_blank,
  filled: m.contacts_op_filled,
  before: m.contacts_op_before,
  after: m.contacts_op_after,
  on: m.contacts_op_on,
  within_days: m.contacts_op_within,
  date_before: m.contacts_op_date_before,
  date_after: m.contacts_op_date_after,
  date_between: m.contacts_op_date_between,
  date_on: m.contacts_op_date_on,
  date_this_month: m.contacts_op_date_this_month,
  date_birthday_in_month: m.contacts_op_birthday_in_month,
  date_birthday_within_days: m.contacts_op_birthday_within,
  date_not_a_date: m.contacts_op_not_a_date,
  yes: m.contacts_op_yes,
  no: m.contacts_op_no,
}

export const SPECIAL_TITLES: Readonly<Record<SpecialSubject, () => string>> = {
  '@readiness': m.readiness_rule,
  '@opted_out': m.contacts_filter_opted_out,
  '@in_list': m.contacts_filter_in_list,
  '@draft': m.contacts_filter_draft,
  '@duplicate': m.contacts_filter_duplicate,
}
