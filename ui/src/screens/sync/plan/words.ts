// The texts of a plan: its cost, its steps, why each exists, and what the interface cannot express.
import type {
  PlanBlocked,
  PlanChoice,
  PlanGate,
  PlanNote,
  PlanDetails,
  PlanLine,
} from '../../../api/generated'
import { m } from '../../../gen/words'
import { formatList, formatNumber, toCountParams } from '../../../lib/format'
import { language } from '../../../lib/locale.svelte'
import { visible } from '../../../lib/text'
import { fieldTitle } from '../../../parts/contact/fields'

type StepCount = (inputs: { count: number; shown: string; title: string }) => string

const MINUTE = 60
const HOUR = 3600

/** Returns a duration such as “about 4 seconds”, never more precise than it is known. */
export function describeDuration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole <= 1) return m.plan_time_moment()
  if (whole < MINUTE) return m.plan_time_seconds(toCountParams(whole))
  const minutes = Math.round(whole / MINUTE)
  if (whole < 2 * HOUR) return m.plan_time_minutes(toCountParams(minutes))
  return m.plan_time_hours({
    hours: formatNumber(Math.floor(minutes / MINUTE)),
    minutes: formatNumber(minutes % MINUTE),
  })
}

const DOES: Record<PlanLine['kind'], StepCount> = {
  opt_out_create: m.plan_do_opt_out_create,
  list_create: m.plan_do_list_create,
  link_create: m.plan_do_link_create,
  link_delete: m.plan_do_link_delete,
  sender_delete: m.plan_do_sender_delete,
  contacts_create: m.plan_do_contacts_create,
  contacts_update: m.plan_do_contacts_update,
  contacts_merge: m.plan_do_contacts_merge,
  contacts_upload: m.plan_do_contacts_upload,
  contact_delete: m.plan_do_contact_delete,
  list_delete: m.plan_do_list_delete,
  opt_out_delete: m.plan_do_opt_out_delete,
}

export function stepTitle({ kind, title, rows }: Pick<PlanLine, 'kind' | 'title' | 'rows'>): string {
  return DOES[kind]({ count: rows, shown: formatNumber(rows), title: visible(title) })
}

const WHYS: Record<PlanLine['why'], () => string> = {
  made_here: m.plan_why_made,
  changed_here: m.plan_why_changed,
  made_or_changed_here: m.plan_why_made_or_changed,
  deleted_here: m.plan_why_deleted,
  replaced: m.plan_why_replace,
  recreated: m.plan_why_recreate,
  removed_there: m.plan_why_removed_there,
}

export function explainStep({ why, fields }: Pick<PlanLine, 'why' | 'fields'>): string {
  if (fields.length > 0) {
    if (why === 'changed_here') return m.plan_why_fields({ fields: listFieldTitles(fields) })
    if (why === 'made_or_changed_here') return m.plan_why_made_or_fields({ fields: listFieldTitles(fields) })
  }
  return WHYS[why]()
}

const NOTES: Record<PlanNote['text'], StepCount> = {
  deletion_dropped: m.plan_note_deletion_dropped,
  form_taken: m.plan_note_form_taken,
  removal_cancelled: m.plan_note_removal_cancelled,
  no_evidence: m.plan_note_no_evidence,
  held: m.plan_note_held,
  waiting: m.plan_note_waiting,
}

export function describeNote({ text, count, title }: PlanNote): string {
  return NOTES[text]({ count, shown: formatNumber(count), title: visible(title) })
}

const DELETES: ReadonlySet<PlanLine['kind']> = new Set<PlanLine['kind']>([
  'link_delete',
  'sender_delete',
  'contact_delete',
  'list_delete',
  'opt_out_delete',
])
/** Steps of these kinds are about one record, however many rows it contains. */
const SINGLE: ReadonlySet<PlanLine['kind']> = new Set<PlanLine['kind']>([
  'list_create',
  'list_delete',
  'link_create',
  'link_delete',
  'sender_delete',
])

/** Returns a sum such as “1 change, 2 deletions”: what a plan does to records, independent of its calls. */
export function describeSum(steps: readonly Pick<PlanLine, 'kind' | 'rows'>[]): string {
  const count = (deletes: boolean): number =>
    steps
      .filter(({ kind }) => DELETES.has(kind) === deletes)
      .reduce((sum, { kind, rows }) => sum + (SINGLE.has(kind) ? 1 : rows), 0)
  const [changes, deletions] = [count(false), count(true)]
  return [
    changes > 0 ? m.plan_sum_changes({ n: changes, count: formatNumber(changes) }) : [],
    deletions > 0 ? m.plan_sum_deletions({ n: deletions, count: formatNumber(deletions) }) : [],
  ]
    .flat()
    .join(language.comma)
}

/** Returns the number of calls of a line, which may combine several steps. */
export function countCalls({ ids }: Pick<PlanLine, 'ids'>): number {
  return Math.max(ids.length, 1)
}

const GATES: Partial<Record<PlanGate['gate'], StepCount>> = {
  many_deletions: m.plan_gate_many_deletions,
  opt_out_removal: m.plan_gate_opt_out_removal,
}

export function describeGate({ gate, title, rows }: PlanGate): string {
  const messageParams = { count: rows, shown: formatNumber(rows), title: visible(title) }
  if (gate === 'sender_deletion') return m.plan_gate_sender_deletion(messageParams)
  if (gate === 'list_deletion') {
    return rows > 0 ? m.plan_gate_list_deletion(messageParams) : m.plan_gate_list_deletion_bare(messageParams)
  }
  return GATES[gate]?.(messageParams) ?? visible(title)
}

/** Returns the gates for display. The removals of opt-outs are one gate, which wants their number; it names the channel
 *  of the first, because a number may have an opt-out on each. */
export function toDisplayedGates({ gates, steps }: Pick<PlanDetails, 'gates' | 'steps'>): PlanGate[] {
  const removals = gates.filter(({ gate }) => gate === 'opt_out_removal')
  const [first] = removals
  if (first === undefined) return [...gates]
  const step = steps.find(
    ({ kind, title, rows }) =>
      kind === 'opt_out_delete' && title.startsWith(first.title) && rows === first.rows,
  )
  const rows = removals.reduce((sum, gate) => sum + gate.rows, 0)
  const all = { ...first, title: step?.title ?? first.title, rows, wanted: String(rows) }
  return gates.flatMap((gate) => (gate === first ? [all] : removals.includes(gate) ? [] : [gate]))
}

/** Returns what a gate asks the user to type. */
export function describeGateInput({ gate, wanted }: Pick<PlanGate, 'gate' | 'wanted'>): string {
  return gate === 'opt_out_removal' ? m.plan_gate_type_opt_outs({ wanted }) : m.plan_gate_type({ wanted })
}

/** Returns whether the typed text opens a gate. A number may be typed with or without separators. */
export function isGateOpened(wanted: string, typed: string): boolean {
  const one = wanted.trim().normalize()
  const other = typed.trim().normalize()
  return one === other || (/^\d+$/.test(one) && other.replaceAll(/[\s.,'\u00a0\u202f]/g, '') === one)
}

export interface BlockedGroup {
  id: string
  obstacle: PlanBlocked['obstacle']
  fields: readonly string[]
  /** The number of rows in the group. */
  count: number
  choices: PlanBlocked['choices']
  chosen: PlanBlocked['chosen']
  /** The key of the first row, with which the choice is made. */
  key: PlanBlocked['key']
  titles: readonly string[]
}

/** Returns whether a row is blocked only until a question about a field is answered: whether the service accepts the
 *  field, or whether it is the same field. */
export function isUnresolvedField({ obstacle }: Pick<PlanBlocked, 'obstacle'>): boolean {
  return obstacle === 'unchecked_field' || obstacle === 'clashing_field'
}

/** Groups rows with the same obstacle, fields, choices and cost, so that the user decides once. */
export function groupBlocked(all: readonly PlanBlocked[]): BlockedGroup[] {
  const groups = new Map<string, BlockedGroup & { titles: string[] }>()
  for (const one of all) {
    // Each list and each link has its own cost, so they are never grouped.
    const own = one.obstacle === 'rename' || one.obstacle === 'link_edit' ? one.key.id : ''
    const id = [one.obstacle, one.fields.join(), one.chosen, JSON.stringify(one.choices), own].join('|')
    const known = groups.get(id)
    if (known === undefined) groups.set(id, { ...one, id, titles: [one.title] })
    else {
      known.count += one.count
      known.titles.push(one.title)
    }
  }
  return [...groups.values()]
}

type GateValues = (inputs: { count: number; shown: string }) => string

export const OBSTACLES: Record<PlanBlocked['obstacle'], { title: GateValues; text: () => string }> = {
  clearing: { title: m.plan_blocked_clearing, text: m.plan_blocked_clearing_text },
  number: { title: m.plan_blocked_number, text: m.plan_blocked_number_text },
  unknown_field: { title: m.plan_blocked_unknown_field, text: m.plan_blocked_unknown_field_text },
  unchecked_field: { title: m.plan_blocked_unchecked_field, text: m.plan_blocked_unchecked_field_text },
  clashing_field: { title: m.plan_blocked_clashing_field, text: m.plan_blocked_clashing_field_text },
  no_key: { title: m.plan_blocked_no_key, text: m.plan_blocked_no_key_text },
  key_taken: { title: m.plan_blocked_key_taken, text: m.plan_blocked_key_taken_text },
  rename: { title: m.plan_blocked_rename, text: m.plan_blocked_rename_text },
  link_edit: { title: m.plan_blocked_link_edit, text: m.plan_blocked_link_edit_text },
  only_account_level: {
    title: m.plan_blocked_only_account_level,
    text: m.plan_blocked_only_account_level_text,
  },
  unnamed_asset: { title: m.plan_blocked_unnamed_asset, text: m.plan_blocked_unnamed_asset_text },
  conflicts_inside: { title: m.plan_blocked_conflicts_inside, text: m.plan_blocked_conflicts_inside_text },
}

const CHOICES: Record<PlanChoice, { title: () => string; hint: () => string }> = {
  keep_local: { title: m.plan_choice_keep_local, hint: m.plan_choice_keep_local_hint },
  replace: { title: m.plan_choice_replace, hint: m.plan_choice_replace_hint },
  keep_both: { title: m.plan_choice_keep_both, hint: m.plan_choice_keep_both_hint },
  alias: { title: m.plan_choice_alias, hint: m.plan_choice_alias_hint },
  recreate: { title: m.plan_choice_recreate, hint: m.plan_choice_recreate_hint },
  discard: { title: m.plan_choice_discard, hint: m.plan_choice_discard_hint },
  delete_anyway: { title: m.plan_choice_delete_anyway, hint: m.plan_choice_delete_anyway_hint },
}

export function describePrice(calls: number): string {
  return calls === 0 ? m.plan_choice_free() : m.plan_choice_price(toCountParams(calls))
}

export interface ObstacleChoice {
  value: PlanChoice | ''
  title: string
  hint: string
}

/** Returns the choices for an obstacle as radio buttons; the first leaves it undecided. */
export function listChoices({
  choices,
  obstacle,
}: Pick<BlockedGroup, 'choices' | 'obstacle'>): ObstacleChoice[] {
  const undecided: ObstacleChoice = {
    value: '',
    title: m.plan_choice_undecided(),
    hint: m.plan_choice_undecided_hint(),
  }
  const ways = choices.map(({ choice, calls }) => {
    const words = CHOICES[choice]
    const isLink = obstacle === 'link_edit' && choice === 'replace'
    const hint = isLink ? m.plan_choice_recreate_link_hint() : words.hint()
    return { value: choice, title: `${words.title()} (${describePrice(calls)})`, hint }
  })
  return [undecided, ...ways]
}

/** Returns the program's title of a field, or else the core's. */
export function getFieldTitle(field: string, title = field): string {
  const known = fieldTitle({ name: field })
  return known === field ? visible(title) : known
}

export function listFieldTitles(fields: readonly string[]): string {
  return formatList(fields.map((field) => getFieldTitle(field)))
}
