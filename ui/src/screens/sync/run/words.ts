// Describes a run: its progress, the results for its rows, and its remaining time.
import type {
  RunCounts,
  RunDetails,
  RunState,
  RunStep,
  RunStepState,
  SyncStatus,
} from '../../../api/generated'
import { m } from '../../../gen/words'
import { formatNumber, toCountParams } from '../../../lib/format'

const MINUTE = 60
const HOUR = 3600
/** Shorter waits are not shown, because they end before they can be read. */
const NOTABLE_MS = 1500

/** Returns the run's own estimate, or undefined while it would be a guess: the speed is that of confirmed rows,
 *  which lag behind the sent ones while the service has not confirmed them. */
export function secondsLeft({
  counts,
  seconds_left,
}: Pick<RunDetails, 'counts' | 'seconds_left'>): number | undefined {
  return seconds_left === null || countUnconfirmed(counts) > counts.verified ? undefined : seconds_left
}

/** Returns the number of rows that were sent and are not confirmed yet. */
export function countUnconfirmed({ sent, accepted, uncertain }: RunCounts): number {
  return sent + accepted + uncertain
}

/** Returns a text such as “about 3 minutes left”. */
export function describeTimeLeft(seconds: number): string {
  if (seconds <= 1) return m.run_left_moment()
  const whole = Math.round(seconds)
  if (whole < MINUTE) return m.run_left_seconds(toCountParams(whole))
  const minutes = Math.round(whole / MINUTE)
  if (whole < 2 * HOUR) return m.run_left_minutes(toCountParams(minutes))
  return m.run_left_hours({
    hours: formatNumber(Math.floor(minutes / MINUTE)),
    minutes: formatNumber(minutes % MINUTE),
  })
}

export type StatusLook = 'plain' | 'good' | 'warm' | 'bad'
export type CountName = keyof RunCounts

/** In the order in which a row passes through them. */
export const COUNTS: readonly { id: CountName; title: () => string; hint: () => string }[] = [
  { id: 'verified', title: m.run_count_verified, hint: m.run_count_verified_hint },
  { id: 'accepted', title: m.run_count_accepted, hint: m.run_count_accepted_hint },
  { id: 'sent', title: m.run_count_sent, hint: m.run_count_sent_hint },
  { id: 'uncertain', title: m.run_count_uncertain, hint: m.run_count_uncertain_hint },
  { id: 'rejected', title: m.run_count_rejected, hint: m.run_count_rejected_hint },
  { id: 'cancelled', title: m.run_count_cancelled, hint: m.run_count_cancelled_hint },
  { id: 'waiting', title: m.run_count_waiting, hint: m.run_count_waiting_hint },
]

export function sumCounts(counts: RunCounts): number {
  return COUNTS.reduce((sum, { id }) => sum + counts[id], 0)
}

export const STATES: Record<RunState, { title: () => string; look: StatusLook }> = {
  running: { title: m.run_state_running, look: 'good' },
  paused: { title: m.run_state_paused, look: 'warm' },
  cancelled: { title: m.run_state_cancelled, look: 'plain' },
  done: { title: m.run_state_done, look: 'good' },
  in_doubt: { title: m.run_state_in_doubt, look: 'bad' },
}

export const STEPS: Record<RunStepState, { title: () => string; look: StatusLook }> = {
  ready: { title: m.run_step_ready, look: 'plain' },
  intent: { title: m.run_step_intent, look: 'plain' },
  sent: { title: m.run_step_sent, look: 'plain' },
  accepted: { title: m.run_step_accepted, look: 'plain' },
  verified: { title: m.run_step_verified, look: 'good' },
  rejected: { title: m.run_step_rejected, look: 'bad' },
  uncertain: { title: m.run_step_uncertain, look: 'warm' },
  cancelled: { title: m.run_step_cancelled, look: 'plain' },
}

type StepKind = RunStep['kind']

/** What undoing a run reverses. Roost can only reverse changes of contacts. */
const TAKEN_BACK: readonly { kinds: readonly StepKind[]; text: () => string }[] = [
  { kinds: ['contacts_create', 'contacts_merge', 'contacts_upload'], text: m.run_undo_created },
  { kinds: ['contacts_update', 'contacts_merge'], text: m.run_undo_changed },
  { kinds: ['contact_delete'], text: m.run_undo_deleted },
]
const LEFT_ALONE: readonly { kinds: readonly StepKind[]; text: () => string }[] = [
  { kinds: ['list_create'], text: m.run_undo_stays_lists },
  { kinds: ['list_delete'], text: m.run_undo_stays_deleted_lists },
  { kinds: ['link_create'], text: m.run_undo_stays_links },
  { kinds: ['link_delete'], text: m.run_undo_stays_deleted_links },
  { kinds: ['sender_delete'], text: m.run_undo_stays_deleted_senders },
  { kinds: ['opt_out_create'], text: m.run_undo_stays_opt_outs },
  { kinds: ['opt_out_delete'], text: m.run_undo_stays_removed_opt_outs },
]

function describeParts(all: typeof TAKEN_BACK, steps: readonly Pick<RunStep, 'kind'>[]): string[] {
  return all.filter(({ kinds }) => steps.some(({ kind }) => kinds.includes(kind))).map(({ text }) => text())
}

/** Explains what undoing a run means for its steps. */
export function explainUndo(steps: readonly Pick<RunStep, 'kind'>[]): string[] {
  return [...describeParts(TAKEN_BACK, steps), m.run_undo_plan()]
}

/** Lists the parts of a run that stay when it is undone. */
export function explainRemains(steps: readonly Pick<RunStep, 'kind'>[]): string[] {
  return describeParts(LEFT_ALONE, steps)
}

/** Counts the rows that have no final result yet. */
export function countOpenRows(counts: RunCounts): number {
  return counts.waiting + countUnconfirmed(counts)
}

type EndedStep = Pick<RunStep, 'state' | 'requests'>

/** Returns whether Roost held a step back: it ended without a request, so the service did not refuse it. */
export function isHeldBack({ state, requests }: EndedStep): boolean {
  return state === 'rejected' && requests === 0
}

export function describeStepState(step: EndedStep): { title: () => string; look: StatusLook } {
  return isHeldBack(step) ? { title: m.run_step_held, look: 'warm' } : STEPS[step.state]
}

/** Counts the rows that the service refused, and those that Roost held back. */
export function countRefusals({ counts, steps }: Pick<RunDetails, 'counts' | 'steps'>): RefusalCounts {
  const held = steps.filter(isHeldBack).reduce((sum, { rows }) => sum + rows, 0)
  return { refused: Math.max(0, counts.rejected - held), held: Math.min(held, counts.rejected) }
}

interface RefusalCounts {
  refused: number
  held: number
}

/** Returns the steps that failed in whole or in part. */
export function findFailedSteps<S extends Pick<RunStep, 'state' | 'reason'>>(steps: readonly S[]): S[] {
  return steps.filter(
    ({ state, reason }) => state === 'rejected' || (state === 'verified' && reason !== null),
  )
}

/** The status of a run as the user sees it. */
export type RunStatus = 'working' | 'ending' | 'paused' | 'stopped' | 'cut' | 'over'

type RunFacts = Pick<RunDetails, 'state' | 'is_at_work' | 'ended_at' | 'why'>

/** Returns the status of a run. An open run without work was paused, stopped by the service, or interrupted with the
 *  program. */
export function getRunStatus(run: RunFacts, work: SyncStatus['work']): RunStatus {
  if (run.ended_at !== null) return 'over'
  if (run.is_at_work) return work?.kind === 'run' && work.is_ending ? 'ending' : 'working'
  if (run.why !== null) return 'stopped'
  return run.state === 'paused' ? 'paused' : 'cut'
}

/** Returns the state of a run in a word; an open run without work is waiting. */
export function describeRunState(run: RunFacts): { title: string; look: StatusLook } {
  if (run.ended_at === null && !run.is_at_work && run.state === 'running')
    return { title: m.run_state_waiting(), look: 'warm' }
  const { title, look } = STATES[run.state]
  return { title: title(), look }
}

/** Returns the run in one sentence. */
export function describeRun(run: RunDetails, status: RunStatus): string {
  const { counts, state } = run
  const total = sumCounts(counts)
  const messageParams = { count: total, done: formatNumber(counts.verified), total: formatNumber(total) }
  if (status === 'ending') return state === 'cancelled' ? m.run_head_cancelling() : m.run_head_ending()
  if (status === 'working')
    return state === 'cancelled'
      ? m.run_head_cancelling()
      : m.run_head_running({ count: total, shown: formatNumber(total), done: messageParams.done })
  if (status === 'paused') return m.run_head_paused(messageParams)
  if (status === 'stopped') return m.run_head_stopped(messageParams)
  if (status === 'cut') return m.run_head_cut_off(messageParams)
  if (state === 'cancelled') return m.run_head_cancelled(messageParams)
  if (state === 'in_doubt' || counts.uncertain > 0) return m.run_head_in_doubt()
  const { refused, held } = countRefusals(run)
  const some = toCountParams(refused)
  if (refused > 0 && held > 0) return m.run_head_done_both({ ...some, held: formatNumber(held) })
  if (refused > 0) return m.run_head_done_refused(some)
  if (held > 0) return m.run_head_done_held(toCountParams(held))
  return m.run_head_done(toCountParams(counts.verified))
}

const VERDICTS: Readonly<Record<string, () => string>> = {
  Refused: m.run_verdict_refused,
  Throttled: m.run_verdict_throttled,
  TooLarge: m.run_verdict_too_large,
  Gone: m.run_verdict_gone,
  Uncertain: m.run_verdict_uncertain,
  Again: m.run_verdict_again,
  Stop: m.run_verdict_stop,
}

/** Explains why a request failed; undefined if it did not. */
export function explainVerdict(verdict: string | null): string | undefined {
  return VERDICTS[/^\w+/.exec(verdict ?? '')?.[0] ?? '']?.()
}

/** Returns the longest wait of an operation in seconds while no request is in progress: the service is silent or
 *  asked to wait. */
export function findLongestWait({ lanes }: Pick<RunDetails, 'lanes'>): number | undefined {
  if (lanes.some(({ in_flight }) => in_flight > 0)) return undefined
  const longest = lanes.reduce((most, { waits_ms }) => Math.max(most, waits_ms ?? 0), 0)
  return longest >= NOTABLE_MS ? longest / 1000 : undefined
}

/** Returns a duration in milliseconds; undefined while it has not ended. */
export function measureDuration(began: string, ended: string | null): number | undefined {
  if (ended === null) return undefined
  const took = Date.parse(ended) - Date.parse(began)
  return Number.isNaN(took) ? undefined : Math.max(0, took)
}
