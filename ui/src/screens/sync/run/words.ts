// What a run says in words: how far it is, what became of its rows, how long it will take.
import type {
  RunCounts,
  RunDetails,
  RunState,
  RunStep,
  RunStepState,
  SyncStatus,
} from '../../../api/generated'
import { m } from '../../../gen/words'
import { formatNumber } from '../../../lib/format'

const MINUTE = 60
const HOUR = 3600
/** A shorter wait is a matter of course. */
const NOTABLE_MS = 1500

/** A run's own estimate, or nothing while it would only be a guess: the speed is that of arrivals, which lag behind
 *  what was sent for as long as the service has not confirmed it. */
export function secondsLeft({
  counts,
  seconds_left,
}: Pick<RunDetails, 'counts' | 'seconds_left'>): number | undefined {
  return seconds_left === null || unconfirmed(counts) > counts.verified ? undefined : seconds_left
}

/** Rows that were sent and are not confirmed yet. */
export function unconfirmed({ sent, accepted, uncertain }: RunCounts): number {
  return sent + accepted + uncertain
}

/** “about 3 minutes left”. */
export function leftWords(seconds: number): string {
  if (seconds <= 1) return m.run_left_moment()
  const whole = Math.round(seconds)
  if (whole < MINUTE) return m.run_left_seconds({ count: whole, shown: formatNumber(whole) })
  const minutes = Math.round(whole / MINUTE)
  if (whole < 2 * HOUR) return m.run_left_minutes({ count: minutes, shown: formatNumber(minutes) })
  return m.run_left_hours({
    hours: formatNumber(Math.floor(minutes / MINUTE)),
    minutes: formatNumber(minutes % MINUTE),
  })
}

export type Look = 'plain' | 'good' | 'warm' | 'bad'
export type CountName = keyof RunCounts

/** In the order of a row's way. */
export const COUNTS: readonly { id: CountName; title: () => string; hint: () => string }[] = [
  { id: 'verified', title: m.run_count_verified, hint: m.run_count_verified_hint },
  { id: 'accepted', title: m.run_count_accepted, hint: m.run_count_accepted_hint },
  { id: 'sent', title: m.run_count_sent, hint: m.run_count_sent_hint },
  { id: 'uncertain', title: m.run_count_uncertain, hint: m.run_count_uncertain_hint },
  { id: 'rejected', title: m.run_count_rejected, hint: m.run_count_rejected_hint },
  { id: 'cancelled', title: m.run_count_cancelled, hint: m.run_count_cancelled_hint },
  { id: 'waiting', title: m.run_count_waiting, hint: m.run_count_waiting_hint },
]

export function totalOf(counts: RunCounts): number {
  return COUNTS.reduce((sum, { id }) => sum + counts[id], 0)
}

export const STATES: Record<RunState, { title: () => string; look: Look }> = {
  running: { title: m.run_state_running, look: 'good' },
  paused: { title: m.run_state_paused, look: 'warm' },
  cancelled: { title: m.run_state_cancelled, look: 'plain' },
  done: { title: m.run_state_done, look: 'good' },
  in_doubt: { title: m.run_state_in_doubt, look: 'bad' },
}

export const STEPS: Record<RunStepState, { title: () => string; look: Look }> = {
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

/** What an undo takes back: it knows contacts alone. */
const TAKEN_BACK: readonly { kinds: readonly StepKind[]; told: () => string }[] = [
  { kinds: ['contacts_create', 'contacts_merge', 'contacts_upload'], told: m.run_undo_created },
  { kinds: ['contacts_update', 'contacts_merge'], told: m.run_undo_changed },
  { kinds: ['contact_delete'], told: m.run_undo_deleted },
]
const LEFT_ALONE: readonly { kinds: readonly StepKind[]; told: () => string }[] = [
  { kinds: ['list_create'], told: m.run_undo_stays_lists },
  { kinds: ['list_delete'], told: m.run_undo_stays_deleted_lists },
  { kinds: ['link_create'], told: m.run_undo_stays_links },
  { kinds: ['link_delete'], told: m.run_undo_stays_deleted_links },
  { kinds: ['sender_delete'], told: m.run_undo_stays_deleted_senders },
  { kinds: ['opt_out_create'], told: m.run_undo_stays_opt_outs },
  { kinds: ['opt_out_delete'], told: m.run_undo_stays_removed_opt_outs },
]

function toldOf(all: typeof TAKEN_BACK, steps: readonly Pick<RunStep, 'kind'>[]): string[] {
  return all.filter(({ kinds }) => steps.some(({ kind }) => kinds.includes(kind))).map(({ told }) => told())
}

/** What undoing a run takes back of what it did. */
export function undoneWords(steps: readonly Pick<RunStep, 'kind'>[]): string[] {
  return [...toldOf(TAKEN_BACK, steps), m.run_undo_plan()]
}

/** What undoing a run leaves as it is. */
export function stayingWords(steps: readonly Pick<RunStep, 'kind'>[]): string[] {
  return toldOf(LEFT_ALONE, steps)
}

/** The rows that are not settled yet. */
export function openRows(counts: RunCounts): number {
  return counts.waiting + unconfirmed(counts)
}

type Ended = Pick<RunStep, 'state' | 'requests'>

/** A step that ended without a request was not refused by the service: Roost did not send it. */
export function isHeldBack({ state, requests }: Ended): boolean {
  return state === 'rejected' && requests === 0
}

export function stepState(step: Ended): { title: () => string; look: Look } {
  return isHeldBack(step) ? { title: m.run_step_held, look: 'warm' } : STEPS[step.state]
}

/** Rows that the service refused, and rows that Roost held back. */
export function notArrived({ counts, steps }: Pick<RunDetails, 'counts' | 'steps'>): Refusals {
  const held = steps.filter(isHeldBack).reduce((sum, { rows }) => sum + rows, 0)
  return { refused: Math.max(0, counts.rejected - held), held: Math.min(held, counts.rejected) }
}

interface Refusals {
  refused: number
  held: number
}

/** The steps that did not arrive, or of which something did not. */
export function unarrived<S extends Pick<RunStep, 'state' | 'reason'>>(steps: readonly S[]): S[] {
  return steps.filter(
    ({ state, reason }) => state === 'rejected' || (state === 'verified' && reason !== null),
  )
}

/** How a run stands as a person sees it. */
export type Standing = 'working' | 'ending' | 'paused' | 'stopped' | 'cut' | 'over'

type Facts = Pick<RunDetails, 'state' | 'is_at_work' | 'ended_at' | 'why'>

/** One that is open and nobody works on was paused, stopped by the service, or cut off with the program. */
export function standingOf(run: Facts, work: SyncStatus['work']): Standing {
  if (run.ended_at !== null) return 'over'
  if (run.is_at_work) return work?.kind === 'run' && work.is_ending ? 'ending' : 'working'
  if (run.why !== null) return 'stopped'
  return run.state === 'paused' ? 'paused' : 'cut'
}

/** The state of a run in a word; an open one that nobody works on waits. */
export function stateOf(run: Facts): { title: string; look: Look } {
  if (run.ended_at === null && !run.is_at_work && run.state === 'running')
    return { title: m.run_state_waiting(), look: 'warm' }
  const { title, look } = STATES[run.state]
  return { title: title(), look }
}

/** The run in one sentence. */
export function headline(run: RunDetails, standing: Standing): string {
  const { counts, state } = run
  const total = totalOf(counts)
  const told = { count: total, done: formatNumber(counts.verified), total: formatNumber(total) }
  if (standing === 'ending') return state === 'cancelled' ? m.run_head_cancelling() : m.run_head_ending()
  if (standing === 'working')
    return state === 'cancelled'
      ? m.run_head_cancelling()
      : m.run_head_running({ count: total, shown: formatNumber(total), done: told.done })
  if (standing === 'paused') return m.run_head_paused(told)
  if (standing === 'stopped') return m.run_head_stopped(told)
  if (standing === 'cut') return m.run_head_cut_off(told)
  if (state === 'cancelled') return m.run_head_cancelled(told)
  if (state === 'in_doubt' || counts.uncertain > 0) return m.run_head_in_doubt()
  const { refused, held } = notArrived(run)
  const some = { count: refused, shown: formatNumber(refused) }
  if (refused > 0 && held > 0) return m.run_head_done_both({ ...some, held: formatNumber(held) })
  if (refused > 0) return m.run_head_done_refused(some)
  if (held > 0) return m.run_head_done_held({ count: held, shown: formatNumber(held) })
  return m.run_head_done({ count: counts.verified, shown: formatNumber(counts.verified) })
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

/** What an answer meant; nothing where all was well. */
export function verdictWords(verdict: string | null): string | undefined {
  return VERDICTS[/^\w+/.exec(verdict ?? '')?.[0] ?? '']?.()
}

/** The longest that an operation waits, while none is under way: the service is silent or asks for patience. */
export function patience({ lanes }: Pick<RunDetails, 'lanes'>): number | undefined {
  if (lanes.some(({ in_flight }) => in_flight > 0)) return undefined
  const longest = lanes.reduce((most, { waits_ms }) => Math.max(most, waits_ms ?? 0), 0)
  return longest >= NOTABLE_MS ? longest / 1000 : undefined
}

/** How long something took; undefined while it goes on. */
export function tookMs(began: string, ended: string | null): number | undefined {
  if (ended === null) return undefined
  const took = Date.parse(ended) - Date.parse(began)
  return Number.isNaN(took) ? undefined : Math.max(0, took)
}
