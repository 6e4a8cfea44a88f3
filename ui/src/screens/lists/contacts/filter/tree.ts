// A filter as it is edited, with groups and rules that may be unfinished, and its conversion to and from the core's
// filter.
import type { GridFilter } from '../../../../api/generated'
import { CHANNELS, toGroupFilter, decodeGroup, encodeGroup, listStatuses } from '../../readiness/group'

export type TextOp =
  'is' | 'is_not' | 'contains' | 'contains_not' | 'starts' | 'ends' | 'matches' | 'matches_not'
export type TimeOp = 'before' | 'after' | 'on' | 'within_days'
/** The operators for dates; the core's names are these without `date_`. */
export type DateOp =
  | 'date_before'
  | 'date_after'
  | 'date_between'
  | 'date_on'
  | 'date_this_month'
  | 'date_birthday_in_month'
  | 'date_birthday_within_days'
  | 'date_not_a_date'
export type FilterOp = TextOp | TimeOp | DateOp | 'one_of' | 'blank' | 'filled' | 'yes' | 'no'

/** Subjects of rules that are not fields. */
export const SPECIAL_SUBJECTS = ['@readiness', '@opted_out', '@in_list', '@draft', '@duplicate'] as const
export type SpecialSubject = (typeof SPECIAL_SUBJECTS)[number]

export interface RulePart {
  readonly id: number
  /** The name of a field, or one of the special subjects. */
  readonly subject: string
  readonly op: FilterOp
  /** A text, a day, a number of days, a month, a list's UID, a channel, a group by readiness, or the key of
   *  duplicates. */
  readonly value: string
  /** The last day of a range. */
  readonly to: string
  readonly values: readonly (string | null)[]
  readonly case: boolean
}

export interface GroupPart {
  readonly id: number
  readonly join: 'all' | 'any'
  /** Whether the group is negated. */
  readonly not: boolean
  readonly parts: readonly FilterPart[]
}

export type FilterPart = RulePart | GroupPart

let made = 0

export const isGroup = (part: FilterPart): part is GroupPart => 'parts' in part
export const isTime = (subject: string): boolean => subject === 'created_at' || subject === 'updated_at'
export const isSpecial = (subject: string): subject is SpecialSubject =>
  (SPECIAL_SUBJECTS as readonly string[]).includes(subject)

const TEXT_OPS: readonly FilterOp[] = [
  'contains',
  'contains_not',
  'is',
  'is_not',
  'starts',
  'ends',
  'blank',
  'filled',
  'matches',
  'matches_not',
]
const TIME_OPS: readonly FilterOp[] = ['within_days', 'after', 'before', 'on']
const DATE_OPS: readonly DateOp[] = [
  'date_before',
  'date_after',
  'date_between',
  'date_on',
  'date_this_month',
  'date_birthday_in_month',
  'date_birthday_within_days',
  'date_not_a_date',
]
const DAY = /^\d{4}-\d{2}-\d{2}/
const WHOLE_DAY = /^\d{4}-\d{2}-\d{2}$/

/** Represents the current month at the time of filtering. */
export const THIS_MONTH = 'this'

export const isDateOp = (op: FilterOp): op is DateOp => (DATE_OPS as readonly FilterOp[]).includes(op)
/** The longest time ahead that the core accepts for birthdays, in days. */
const MOST_AHEAD = 366

/** The fields that hold dates, even if they also hold other text. */
export type DateFields = ReadonlySet<string>
const DEFAULT_DATE_FIELDS: DateFields = new Set(['date_of_birth'])

/** The groups by readiness that a rule can select. */
export const READINESS: readonly string[] = CHANNELS.flatMap((channel) =>
  listStatuses(channel).map((status) => encodeGroup({ channel, status })),
)

/** Returns the operators that are valid for a subject. */
export function listOps(
  subject: string,
  now?: FilterOp,
  dates: DateFields = DEFAULT_DATE_FIELDS,
): readonly FilterOp[] {
  if (isSpecial(subject)) return ['yes', 'no']
  if (isTime(subject)) return TIME_OPS
  const texts: readonly FilterOp[] = now === 'one_of' ? [...TEXT_OPS, 'one_of'] : TEXT_OPS
  return dates.has(subject) || (now !== undefined && isDateOp(now)) ? [...DATE_OPS, ...texts] : texts
}

export function newRule(subject = 'firstname', dates: DateFields = DEFAULT_DATE_FIELDS): RulePart {
  const op = dates.has(subject) ? 'date_before' : 'contains'
  return adjustRule({ id: (made += 1), subject, op, value: '', to: '', values: [], case: false })
}

/** Returns the rule after a change by the user. A field with dates gets an operator for dates, any other one an
 *  operator for texts. */
export function changeRule(rule: RulePart, patch: Partial<RulePart>, dates: DateFields): RulePart {
  const next = { ...rule, ...patch }
  const subject = patch.subject
  if (subject !== undefined && isDateOp(rule.op) !== dates.has(subject))
    return adjustRule({ ...next, op: dates.has(subject) ? 'date_before' : 'contains', value: '', to: '' })
  return adjustRule(patch.op === undefined ? next : withValueFor(next, getValueKind(rule.op)))
}

type ValueKind = 'day' | 'month' | 'days' | 'text' | 'nothing'

/** Returns what kind of value an operator needs. */
export function getValueKind(op: FilterOp): ValueKind {
  switch (op) {
    case 'date_before':
    case 'date_after':
    case 'date_between':
    case 'date_on':
    case 'before':
    case 'after':
    case 'on':
      return 'day'
    case 'date_birthday_in_month':
      return 'month'
    case 'date_birthday_within_days':
    case 'within_days':
      return 'days'
    case 'date_this_month':
    case 'date_not_a_date':
    case 'blank':
    case 'filled':
    case 'one_of':
    case 'yes':
    case 'no':
      return 'nothing'
    default:
      return 'text'
  }
}

/** Clears the value if the new operator needs another kind of value. */
function withValueFor(rule: RulePart, before: ValueKind): RulePart {
  const now = getValueKind(rule.op)
  if (now === 'month') return isMonth(rule.value) ? rule : { ...rule, value: THIS_MONTH }
  const isKept = now === before || now === 'nothing' || before === 'nothing'
  return isKept ? rule : { ...rule, value: '', to: '' }
}

const isMonth = (value: string): boolean => value === THIS_MONTH || /^([1-9]|1[0-2])$/.test(value)

export function newGroup(
  parts: readonly FilterPart[] = [],
  join: GroupPart['join'] = 'all',
  not = false,
): GroupPart {
  return { id: (made += 1), join, not, parts }
}

/** Adjusts a rule to its new subject. */
export function adjustRule(rule: RulePart): RulePart {
  const ops = listOps(rule.subject, rule.op)
  if (ops.includes(rule.op) && !isSpecial(rule.subject)) return rule
  const op = ops.includes(rule.op) ? rule.op : (ops[0] ?? 'contains')
  if (rule.subject === '@readiness' && decodeGroup(rule.value)) return { ...rule, op }
  const first: Record<string, string> = {
    '@readiness': 'sms.ready',
    '@opted_out': 'any',
    '@duplicate': 'phone',
  }
  const choices: Record<string, readonly string[]> = {
    '@readiness': READINESS,
    '@opted_out': ['any', 'sms', 'whatsapp'],
    '@duplicate': ['phone', 'whatsapp', 'email'],
  }
  const known = choices[rule.subject]
  if (known === undefined) return { ...rule, op }
  return { ...rule, op, value: known.includes(rule.value) ? rule.value : (first[rule.subject] ?? '') }
}

/** Returns the filter of the finished parts; null if there are none. */
export function toFilter(group: GroupPart): GridFilter | null {
  const parts = group.parts.map(partFilter).filter((part) => part !== null)
  if (parts.length === 0) return null
  const filter: GridFilter = group.join === 'all' ? { all: parts } : { any: parts }
  return group.not ? { not: filter } : filter
}

function partFilter(part: FilterPart): GridFilter | null {
  return isGroup(part) ? toFilter(part) : ruleFilter(part)
}

function dateFilter(field: string, op: DateOp, value: string, to: string): GridFilter | null {
  const day = value.trim()
  switch (op) {
    case 'date_before':
      return WHOLE_DAY.test(day) ? { field, date: 'before', value: day } : null
    case 'date_after':
      return WHOLE_DAY.test(day) ? { field, date: 'after', value: day } : null
    case 'date_on':
      return WHOLE_DAY.test(day) ? { field, date: 'on', value: day } : null
    case 'date_between':
      return WHOLE_DAY.test(day) && WHOLE_DAY.test(to) ? { field, date: 'between', value: day, to } : null
    case 'date_this_month':
      return { field, date: 'this_month' }
    case 'date_birthday_in_month':
      return isMonth(day) ? { field, date: 'birthday_in_month', value: day } : null
    case 'date_birthday_within_days':
      return /^\d{1,3}$/.test(day) && Number(day) <= MOST_AHEAD
        ? { field, date: 'birthday_within_days', value: day }
        : null
    case 'date_not_a_date':
      return { field, date: 'not_a_date' }
  }
}

function ruleFilter({ subject, op, value, to, values, case: cased }: RulePart): GridFilter | null {
  const is = op !== 'no'
  switch (subject) {
    case '@readiness': {
      const group = decodeGroup(value)
      return group === undefined ? null : { ...toGroupFilter(group), is }
    }
    case '@opted_out':
      return value === 'sms' || value === 'whatsapp' || value === 'any' ? { opted_out: value, is } : null
    case '@in_list':
      return value === '' ? null : { in_list: value, is }
    case '@draft':
      return { draft: is }
    case '@duplicate':
      return value === 'phone' || value === 'whatsapp' || value === 'email' ? { duplicate: value, is } : null
  }
  if (isTime(subject)) {
    const field = subject as 'created_at' | 'updated_at'
    if (op !== 'before' && op !== 'after' && op !== 'on' && op !== 'within_days') return null
    const isWhole = op === 'within_days' ? /^\d{1,5}$/.test(value.trim()) : DAY.test(value)
    return isWhole ? { field, time: op, value: value.trim() } : null
  }
  if (isDateOp(op)) return dateFilter(subject, op, value, to)
  switch (op) {
    case 'blank':
    case 'filled':
      return { field: subject, blank: op === 'blank' }
    case 'one_of':
      return values.length === 0 ? null : { field: subject, one_of: [...values] }
    case 'yes':
    case 'no':
    case 'before':
    case 'after':
    case 'on':
    case 'within_days':
      return null
    default:
      return value === '' ? null : { field: subject, op, value, ...(cased ? { case: true } : {}) }
  }
}

/** Converts an existing filter to groups and rules, so that it can be edited. */
export function fromFilter(filter: GridFilter | null): GroupPart {
  if (filter === null) return newGroup()
  const part = partOf(filter)
  return isGroup(part) ? part : newGroup([part])
}

function partOf(filter: GridFilter): FilterPart {
  const rule = (subject: string, op: FilterOp, value = '', more: Partial<RulePart> = {}): RulePart => ({
    id: (made += 1),
    subject,
    op,
    value,
    to: '',
    values: [],
    case: false,
    ...more,
  })
  const yes = (is: boolean | undefined): FilterOp => (is === false ? 'no' : 'yes')
  if ('all' in filter) return newGroup(filter.all.map(partOf), 'all')
  if ('any' in filter) return newGroup(filter.any.map(partOf), 'any')
  if ('not' in filter) {
    const part = partOf(filter.not)
    return isGroup(part) && !part.not ? { ...part, not: true } : newGroup([part], 'all', true)
  }
  if ('readiness' in filter)
    return rule('@readiness', yes(filter.is), encodeGroup({ ...filter, status: filter.readiness }))
  if ('opted_out' in filter) return rule('@opted_out', yes(filter.is), filter.opted_out)
  if ('in_list' in filter) return rule('@in_list', yes(filter.is), filter.in_list)
  if ('draft' in filter) return rule('@draft', yes(filter.draft))
  if ('duplicate' in filter) return rule('@duplicate', yes(filter.is), filter.duplicate)
  if ('one_of' in filter) return rule(filter.field, 'one_of', '', { values: filter.one_of })
  if ('blank' in filter) return rule(filter.field, filter.blank ? 'blank' : 'filled')
  if ('date' in filter) {
    const value = 'value' in filter ? filter.value : ''
    return rule(filter.field, `date_${filter.date}`, value, 'to' in filter ? { to: filter.to } : {})
  }
  if ('time' in filter) return rule(filter.field, filter.time, filter.value)
  return rule(filter.field, filter.op, filter.value, { case: filter.case === true })
}

/** Counts the rules of a filter. */
export function countRules(filter: GridFilter | null): number {
  if (filter === null) return 0
  if ('all' in filter) return filter.all.reduce((sum, part) => sum + countRules(part), 0)
  if ('any' in filter) return filter.any.reduce((sum, part) => sum + countRules(part), 0)
  return 'not' in filter ? countRules(filter.not) : 1
}

// Changing a part somewhere in the tree

export function replacePart(
  group: GroupPart,
  id: number,
  by: (part: FilterPart) => FilterPart | undefined,
): GroupPart {
  const parts = group.parts.flatMap((part) => {
    if (part.id === id) return by(part) ?? []
    return isGroup(part) ? [replacePart(part, id, by)] : [part]
  })
  return { ...group, parts }
}

/** Returns the part that an error path of the core refers to. Unfinished parts were not sent, so they are not
 *  counted. */
export function findPart(group: GroupPart, path: string): FilterPart {
  let part: FilterPart = group
  for (const step of path.matchAll(/\.(?:all|any)\[(\d+)\]/g)) {
    if (!isGroup(part)) break
    const sent: readonly FilterPart[] = part.parts.filter((each) => partFilter(each) !== null)
    part = sent[Number(step[1])] ?? part
  }
  return part
}

/** Returns the values of a field that are selected at the top level of a filter. */
export function getChoice(filter: GridFilter | null, field: string): readonly (string | null)[] {
  const parts = filter === null ? [] : 'all' in filter ? filter.all : [filter]
  for (const part of parts) if ('one_of' in part && part.field === field) return part.one_of
  return []
}

/** Returns the filter with another selection of values of a field; an empty selection removes that part. */
export function withChoice(
  filter: GridFilter | null,
  field: string,
  values: readonly (string | null)[],
): GridFilter | null {
  const parts = filter === null ? [] : 'all' in filter ? filter.all : [filter]
  const others = parts.filter((part) => !('one_of' in part && part.field === field))
  const all = values.length === 0 ? others : [...others, { field, one_of: [...values] }]
  return all.length === 0 ? null : { all }
}
