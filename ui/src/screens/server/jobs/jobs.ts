// A contact job: its state in a word, and the acts on it.
import { m } from '../../../gen/words'
import type { AdminRequest, MakeRequest, Schemas } from '../admin-request'

export const OUTCOMES = ['imported', 'merged', 'skipped', 'failed'] as const
export type JobOutcome = (typeof OUTCOMES)[number]
export type JobLook = 'plain' | 'good' | 'warm' | 'bad'

export type Job = Schemas['Job']
export type JobMoment = Schemas['JobEvent']
export type Attempt = Pick<Schemas['Attempt'], 'number' | 'started_at' | 'finished_at' | 'status' | 'error'>
export type Callback = Pick<Schemas['Callback'], 'id' | 'state' | 'next_at' | 'under_way'> & {
  attempts: readonly Attempt[]
}
export type Clock = Pick<Schemas['Clock'], 'mode' | 'now' | 'rate'>
export type ContactOutcome = Schemas['OutcomeEntry']

/** The data that the page of a job shows. */
export interface JobRecord {
  job: Job
  /** How many contacts were processed before the oldest recorded moment. */
  forgotten: number
  moments: readonly JobMoment[]
  callback: Callback | null
  clock: Clock
}

export function describeState(job: Job): { look: JobLook; word: string } {
  const { failed } = job.totals
  if (job.state === 'done') {
    if (failed === 0) return { look: 'good', word: m.jobline_state_done() }
    if (failed === job.contacts) return { look: 'bad', word: m.jobline_state_failed() }
    return { look: 'warm', word: m.jobline_state_partly() }
  }
  if (job.paused) return { look: 'warm', word: m.jobline_state_paused() }
  if (job.held) return { look: 'warm', word: m.jobline_state_held() }
  return { look: 'plain', word: job.done > 0 ? m.jobline_state_running() : m.jobline_state_queued() }
}

/** Explains why a job waits that will not continue by itself. */
export function explainWait(job: Job): string | undefined {
  if (job.state === 'done' || job.next_at !== null) return undefined
  if (job.paused) return m.jobline_why_paused()
  if (job.fault === 'never_finish') return m.jobline_why_never()
  return job.held ? m.jobline_why_held() : m.jobline_why_after_callback()
}

export function describeCallback(state: Callback['state']): { look: JobLook; word: string } {
  const words = {
    waiting: { look: 'plain', word: m.jobline_callback_waiting },
    held: { look: 'warm', word: m.jobline_callback_held },
    delivered: { look: 'good', word: m.jobline_callback_delivered },
    given_up: { look: 'bad', word: m.jobline_callback_given_up },
  } as const
  const { look, word } = words[state]
  return { look, word: word() }
}

export function getOutcomeTitle(outcome: JobOutcome): string {
  const words = {
    imported: m.jobline_outcome_imported,
    merged: m.jobline_outcome_merged,
    skipped: m.jobline_outcome_skipped,
    failed: m.jobline_outcome_failed,
  }
  return words[outcome]()
}

export function describeReason({ outcome, reason }: ContactOutcome): string {
  if (reason === null) return outcome === 'failed' ? m.jobline_why_forgotten() : ''
  const words = {
    duplicate: m.jobline_why_duplicate,
    fault: m.jobline_why_fault,
    operator: m.jobline_why_operator,
    dropped: m.jobline_why_dropped,
    given_up: m.jobline_why_given_up,
    list_gone: m.jobline_why_list_gone,
  }
  return words[reason]()
}

export const JOB_ACTS = ['run', 'step', 'pause', 'resume', 'fail', 'drop'] as const
export const CALLBACK_ACTS = ['redeliver', 'hold', 'release', 'cancel'] as const
export type JobAct = (typeof JOB_ACTS)[number]
export type CallbackAct = (typeof CALLBACK_ACTS)[number]
export type AnyAct = JobAct | CallbackAct

/** Returns the acts that are possible now. */
export function listPossibleActs({ job, callback }: JobRecord): {
  job: readonly JobAct[]
  callback: readonly CallbackAct[]
} {
  const waits = callback?.state === 'waiting' || callback?.state === 'held'
  const here: Readonly<Record<CallbackAct, boolean>> = {
    redeliver: callback !== null && !callback.under_way,
    hold: callback?.state === 'waiting',
    release: callback?.state === 'held',
    cancel: waits,
  }
  return {
    job: job.state === 'done' ? [] : JOB_ACTS.filter((act) => act !== (job.paused ? 'pause' : 'resume')),
    callback: CALLBACK_ACTS.filter((act) => here[act]),
  }
}

export function isOfJob(act: AnyAct): act is JobAct {
  return JOB_ACTS.some((one) => one === act)
}

/** Returns the request of an act. */
export function toAdminRequest(
  act: AnyAct,
  { job, callback }: JobRecord,
  contacts: number,
  make: MakeRequest,
): AdminRequest {
  if (!isOfJob(act))
    return make('POST', `/callbacks/{callback_id}/${act}`, { path: { callback_id: callback?.id ?? 0 } })
  const path = { job_id: job.id }
  return act === 'step'
    ? make('POST', '/jobs/{job_id}/step', { path, body: { contacts } })
    : make('POST', `/jobs/{job_id}/${act}`, { path })
}

export function describeJobAct(act: AnyAct): { title: string; hint: string } {
  const words = {
    run: [m.jobline_act_run, m.jobline_hint_run],
    step: [m.jobline_act_step, m.jobline_hint_step],
    pause: [m.jobline_act_pause, m.jobline_hint_pause],
    resume: [m.jobline_act_resume, m.jobline_hint_resume],
    fail: [m.jobline_act_fail, m.jobline_hint_fail],
    drop: [m.jobline_act_drop, m.jobline_hint_drop],
    redeliver: [m.jobline_act_redeliver, m.jobline_hint_redeliver],
    hold: [m.jobline_act_hold, m.jobline_hint_hold],
    release: [m.jobline_act_release, m.jobline_hint_release],
    cancel: [m.jobline_act_cancel, m.jobline_hint_cancel],
  } as const
  const [title, hint] = words[act]
  return { title: title(), hint: hint() }
}
