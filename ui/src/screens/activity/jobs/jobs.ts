// Describes jobs in words.
import type { Commands } from '../../../api/generated'
import { m } from '../../../gen/words'

export type JobItem = Commands['job_page']['response']['items'][number]
export type JobDetails = Commands['job_get']['response']
export type JobOutcome = Commands['job_outcomes']['response']['items'][number]
export type Outcome = JobOutcome['outcome']

export const OUTCOMES = ['imported', 'merged', 'skipped', 'failed'] as const satisfies readonly Outcome[]

export function getOutcomeTitle(outcome: Outcome): string {
  const words: Readonly<Record<Outcome, () => string>> = {
    imported: m.activity_outcome_imported,
    merged: m.activity_outcome_merged,
    skipped: m.activity_outcome_skipped,
    failed: m.activity_outcome_failed,
  }
  return words[outcome]()
}

export function describeCallback(state: JobItem['callback']): string {
  if (state === null) return m.activity_callback_none()
  const words = {
    waiting: m.activity_callback_waiting,
    delivered: m.activity_callback_delivered,
    given_up: m.activity_callback_given_up,
  }
  return words[state]()
}

export const chooseCallbackLook = (state: JobItem['callback']): 'plain' | 'good' | 'bad' | 'warm' =>
  state === 'delivered' ? 'good' : state === 'given_up' ? 'bad' : state === 'waiting' ? 'warm' : 'plain'

/** Returns what a job does with a contact whose number is in the list already. */
export function describeMerge(merge: JobDetails['job']['merge_type']): string {
  const words = {
    skipDuplicates: m.activity_merge_skip,
    allowDuplicates: m.activity_merge_allow,
    mergeByPhoneNumberInList: m.activity_merge_phone,
    mergeByWhatsappIdInList: m.activity_merge_whatsapp,
  }
  return words[merge]()
}

/** Explains why an attempt of a callback failed; an unknown error is returned unchanged. */
export function describeAttemptFault(error: string): string {
  if (/^no connection: .*refused/i.test(error)) return m.activity_try_refused()
  if (error.startsWith('no connection')) return m.activity_try_broken()
  if (error.startsWith('no answer within')) return m.activity_try_timeout()
  if (error.startsWith('the name could not be resolved')) return m.activity_try_unknown()
  return error
}

/** Returns the duration of an attempt in milliseconds; undefined while it is running. */
export function measureDuration(started: string, finished: string | null): number | undefined {
  return finished === null ? undefined : Math.max(0, Date.parse(finished) - Date.parse(started))
}
