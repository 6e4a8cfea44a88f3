// Every act of the time line as a sentence: for the undo button, toasts, activity and trash.
import * as acts from '../../gen/acts'
import { formatNumber } from '../../lib/format'
import { visible } from '../../lib/text'

/** What a step of the core says of itself. */
export interface Acted {
  /** Such as `list_merge`; of `undo`, `subject` is the act that was undone. */
  act: string
  subject: string | null
  count: number | null
}

interface Inputs {
  named: 'yes' | 'no'
  n: number
  subject: string
  count: string
  what: string
}

const WORDS = acts as unknown as Readonly<Record<string, (given: Inputs) => string>>
const OF_ANOTHER = new Set(['undo', 'redo', 'undo_pass_over'])

/** Whether the catalogue has words of its own for an act. */
export function knows(act: string): boolean {
  return Object.hasOwn(WORDS, `acts_${act}`)
}

/** “Deleted list “Spring””: what was done, in the past tense, without a full stop; `other` is what it was done to. */
export function told({ act, subject, count }: Acted, other?: Acted): string {
  const of = OF_ANOTHER.has(act)
  const n = count ?? 1
  return worded(knows(act) ? act : 'other', {
    named: subject === null || subject === '' ? 'no' : 'yes',
    n,
    subject: visible(subject ?? ''),
    count: formatNumber(n),
    what: of ? told(other ?? { act: subject ?? '', subject: null, count: null }) : '',
  })
}

/** As `told`, of a step in a time line: one that undid another is told with what that one was done to, if it is there. */
export function toldAmong(
  step: Acted & { of: number | null },
  steps: readonly (Acted & { id: number })[],
): string {
  return told(
    step,
    steps.find(({ id }) => id === step.of),
  )
}

/** What an undo or a redo changed, and what it left as it is. */
export interface Turned {
  rows: number
  kept: number
  opt_outs_kept: number
}

/** Whether an act was undone or redone: one whose opt-outs all stay is not. */
export function isTurned({ rows, opt_outs_kept: optOuts }: Omit<Turned, 'kept'>): boolean {
  return rows > 0 || optOuts === 0
}

/** For the toast after an undo or a redo: “Undone: Deleted list “Spring””, and what was left as it is. */
export function toldTurn(
  turn: 'undone' | 'redone',
  step: Acted,
  turned: Turned = { rows: 1, kept: 0, opt_outs_kept: 0 },
): string {
  const { kept, opt_outs_kept: optOuts } = turned
  const done = isTurned(turned) ? worded(turn, { what: told(step) }) : worded(`not_${turn}`, {})
  const sentences: string[] = []
  if (optOuts > 0) sentences.push(optOutsKept(optOuts))
  if (kept > 0) sentences.push(acts.acts_kept({ n: kept, count: formatNumber(kept) }))
  return sentences.length === 0 ? done : [`${done}.`, ...sentences].join(' ')
}

/** That opt-outs stay when what they came with is taken back, and how they would go. */
export function optOutsKept(n: number): string {
  return acts.acts_opt_outs_kept({ n, count: formatNumber(n) })
}

/** Who did it: “You”, “REST interface”. */
export function sourceWord(source: string): string {
  return worded(`source_${source}`, {})
}

/** The plural of a noun, as a heading or a filter: “Short links”. */
export function nounWord(noun: string): string {
  return worded(`noun_${noun}`, {})
}

/** One thing of a noun, as the kind of a record: “Short link”. */
export function kindWord(noun: string): string {
  return worded(`kind_${noun}`, {})
}

/** “12 contacts”. */
export function nounCount(noun: string, n: number): string {
  return worded(`count_${noun}`, { n, count: formatNumber(n) })
}

function worded(key: string, given: Partial<Inputs>): string {
  const none: Inputs = { named: 'no', n: 0, subject: '', count: '', what: '' }
  const word = WORDS[`acts_${key}`]
  return word === undefined ? key : word({ ...none, ...given })
}
