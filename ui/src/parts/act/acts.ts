// Describes every act in a sentence: for the undo button, toasts, the activity and the trash.
import * as acts from '../../gen/acts'
import { formatNumber } from '../../lib/format'
import { visible } from '../../lib/text'

/** The part of a step of the core that a description needs. */
export interface ActSummary {
  /** The act, such as `list_merge`. For `undo`, `subject` is the act that was undone. */
  act: string
  subject: string | null
  count: number | null
}

interface ActTextInputs {
  named: 'yes' | 'no'
  n: number
  subject: string
  count: string
  what: string
}

const WORDS = acts as unknown as Readonly<Record<string, (given: ActTextInputs) => string>>
const OF_ANOTHER = new Set(['undo', 'redo', 'undo_pass_over'])

/** Returns whether the catalogue has a text for an act. */
export function hasActText(act: string): boolean {
  return Object.hasOwn(WORDS, `acts_${act}`)
}

/** Describes an act: “Deleted list “Spring””, in the past tense and without a full stop. `other` is the act that an
 *  undo or redo applied to. */
export function describeAct({ act, subject, count }: ActSummary, other?: ActSummary): string {
  const of = OF_ANOTHER.has(act)
  const n = count ?? 1
  return getActText(hasActText(act) ? act : 'other', {
    named: subject === null || subject === '' ? 'no' : 'yes',
    n,
    subject: visible(subject ?? ''),
    count: formatNumber(n),
    what: of ? describeAct(other ?? { act: subject ?? '', subject: null, count: null }) : '',
  })
}

/** Describes a step of a timeline. If it undid another step of `steps`, that one is included. */
export function describeStep(
  step: ActSummary & { of: number | null },
  steps: readonly (ActSummary & { id: number })[],
): string {
  return describeAct(
    step,
    steps.find(({ id }) => id === step.of),
  )
}

/** What an undo or a redo changed, and what it left unchanged. */
export interface UndoOutcome {
  rows: number
  kept: number
  opt_outs_kept: number
}

/** Returns whether an act was undone or redone. One whose opt-outs all remain was not. */
export function hasTakenEffect({ rows, opt_outs_kept: optOuts }: Omit<UndoOutcome, 'kept'>): boolean {
  return rows > 0 || optOuts === 0
}

/** Returns the toast after an undo or a redo: “Undone: Deleted list “Spring””, and what was left unchanged. */
export function describeUndoOrRedo(
  direction: 'undone' | 'redone',
  step: ActSummary,
  outcome: UndoOutcome = { rows: 1, kept: 0, opt_outs_kept: 0 },
): string {
  const { kept, opt_outs_kept: optOuts } = outcome
  const done = hasTakenEffect(outcome)
    ? getActText(direction, { what: describeAct(step) })
    : getActText(`not_${direction}`, {})
  const sentences: string[] = []
  if (optOuts > 0) sentences.push(describeKeptOptOuts(optOuts))
  if (kept > 0) sentences.push(acts.acts_kept({ n: kept, count: formatNumber(kept) }))
  return sentences.length === 0 ? done : [`${done}.`, ...sentences].join(' ')
}

/** Says that opt-outs remain when their act is undone, and how they can be removed. */
export function describeKeptOptOuts(n: number): string {
  return acts.acts_opt_outs_kept({ n, count: formatNumber(n) })
}

/** Returns who did it: “You”, “REST interface”. */
export function getSourceTitle(source: string): string {
  return getActText(`source_${source}`, {})
}

/** Returns the plural of a noun, as a heading or a filter: “Short links”. */
export function getNounTitle(noun: string): string {
  return getActText(`noun_${noun}`, {})
}

/** Returns the singular of a noun, as the kind of a record: “Short link”. */
export function getKindTitle(noun: string): string {
  return getActText(`kind_${noun}`, {})
}

/** Returns a count with its noun: “12 contacts”. */
export function describeNounCount(noun: string, n: number): string {
  return getActText(`count_${noun}`, { n, count: formatNumber(n) })
}

function getActText(key: string, given: Partial<ActTextInputs>): string {
  const none: ActTextInputs = { named: 'no', n: 0, subject: '', count: '', what: '' }
  const word = WORDS[`acts_${key}`]
  return word === undefined ? key : word({ ...none, ...given })
}
