// The history of a job and what is due, as events on a timeline.
import { m } from '../../../gen/words'
import { formatNumber } from '../../../lib/format'
import { language } from '../../../lib/locale.svelte'
import { OUTCOMES, getOutcomeTitle, type Attempt, type JobLook, type JobMoment, type JobRecord } from './jobs'

export const LANES = ['job', 'contacts', 'callback'] as const
export type Lane = (typeof LANES)[number]

export interface TimelineEvent {
  id: string
  lane: Lane
  what: 'requested' | JobMoment['what'] | 'finished' | 'attempt' | 'due'
  /** In seconds of the world's clock. */
  at: number
  until: number
  look: JobLook
  moment?: JobMoment
  attempt?: Attempt
}

/** A period of waiting. */
export interface WaitingPeriod {
  lane: Lane
  kind: 'waits' | 'paused'
  from: number
  to: number
}

export const toSeconds = (iso: string): number =>
  Math.floor(Date.parse(iso.replace(/(\.\d{3})\d+/, '$1')) / 1000)
export const toIso = (second: number): string => new Date(second * 1000).toISOString().replace('.000', '')
/** The time of day in UTC. */
export const formatTimeOfDay = (second: number): string => toIso(second).slice(11, 19)
export const formatUtcDate = (second: number): string => toIso(second).slice(0, 10)

function chooseLook({ what, contacts, failed }: JobMoment): JobLook {
  if (what === 'part') return failed === 0 ? 'good' : failed === contacts ? 'bad' : 'warm'
  return what === 'failed' || what === 'dropped' || what === 'given_up' ? 'bad' : 'warm'
}

const isDelivered = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300

/** Returns the events in order; those that are due come last. */
export function listEvents({ job, moments, callback }: JobRecord): readonly TimelineEvent[] {
  const events: TimelineEvent[] = []
  const put = (event: Omit<TimelineEvent, 'id' | 'until'> & { until?: number }): void => {
    events.push({ until: event.at, ...event, id: `${event.what}-${String(events.length)}` })
  }
  const queued = toSeconds(job.queued_at)
  put({ lane: 'job', what: 'requested', at: queued, look: 'plain' })
  for (const moment of moments)
    put({
      lane: moment.contacts > 0 ? 'contacts' : moment.what === 'announced' ? 'callback' : 'job',
      what: moment.what,
      at: toSeconds(moment.at),
      until: toSeconds(moment.until),
      look: chooseLook(moment),
      moment,
    })
  if (job.finished_at !== null && job.state === 'done') {
    // If the callback was sent before the end, `finished_at` is earlier than the real end.
    const last = Math.max(toSeconds(job.finished_at), ...moments.map(({ until }) => toSeconds(until)))
    const look = job.totals.failed === 0 ? 'good' : job.totals.failed === job.contacts ? 'bad' : 'warm'
    put({ lane: 'job', what: 'finished', at: last, look })
  }
  for (const attempt of callback?.attempts ?? [])
    put({
      lane: 'callback',
      what: 'attempt',
      at: toSeconds(attempt.started_at),
      until: toSeconds(attempt.finished_at ?? attempt.started_at),
      look: attempt.finished_at === null ? 'plain' : isDelivered(attempt) ? 'good' : 'bad',
      attempt,
    })
  // Events within one second keep their order: the request, its batches, the end, the callback.
  const happened = events.toSorted((a, b) => a.at - b.at)
  events.length = 0
  events.push(...happened)
  if (job.state === 'queued' && job.next_at !== null)
    put({ lane: 'contacts', what: 'due', at: toSeconds(job.next_at), look: 'plain' })
  if (callback?.state === 'waiting' && callback.next_at !== null && !callback.under_way)
    put({ lane: 'callback', what: 'due', at: toSeconds(callback.next_at), look: 'plain' })
  return events
}

/** Returns the times after now at which something is due. */
export function findDueTimes(events: readonly TimelineEvent[], now: number): readonly number[] {
  const dues = events.filter(({ what, at }) => what === 'due' && at > now).map(({ at }) => at)
  return [...new Set(dues)].toSorted((a, b) => a - b)
}

/** Returns the periods in which the job and its callback waited. */
export function findWaitingPeriods(
  { job, moments, callback }: JobRecord,
  events: readonly TimelineEvent[],
  now: number,
): WaitingPeriod[] {
  const end = events.find(({ what }) => what === 'finished')?.at ?? now
  const stretches: WaitingPeriod[] = [{ lane: 'job', kind: 'waits', from: toSeconds(job.queued_at), to: end }]
  let paused: number | undefined
  for (const { what, at } of moments) {
    if (what === 'paused') paused = toSeconds(at)
    if (what === 'resumed' && paused !== undefined) {
      stretches.push({ lane: 'job', kind: 'paused', from: paused, to: toSeconds(at) })
      paused = undefined
    }
  }
  if (paused !== undefined) stretches.push({ lane: 'job', kind: 'paused', from: paused, to: end })
  if (callback !== null) {
    const calls = events.filter(({ lane }) => lane === 'callback').map(({ at }) => at)
    const from = job.state === 'done' ? Math.min(end, ...calls) : Math.min(now, ...calls)
    const to =
      callback.state === 'waiting' || callback.state === 'held'
        ? Math.max(now, ...calls)
        : Math.max(from, ...calls)
    stretches.push({ lane: 'callback', kind: callback.state === 'held' ? 'paused' : 'waits', from, to })
  }
  return stretches.filter(({ from, to }) => to > from)
}

/** Returns the end of the timeline, with room after the last event, so that the marker can be dragged further. */
export function findTimelineEnd(events: readonly TimelineEvent[], now: number): number {
  const first = Math.min(now, ...events.map(({ at }) => at))
  const last = Math.max(now, ...events.map(({ until }) => until))
  return last + Math.max(60, Math.round((last - first) * 0.15))
}

export function describeEvent({ what, lane, attempt, moment }: TimelineEvent): string {
  if (what === 'due') return lane === 'callback' ? m.jobline_due_callback() : m.jobline_due_job()
  if (what === 'attempt') return m.jobline_attempt({ number: formatNumber(attempt?.number ?? 1) })
  if (what === 'part' && moment !== undefined && moment.parts > 1)
    return m.jobline_parts({ n: moment.parts, count: formatNumber(moment.parts) })
  const words = {
    requested: m.jobline_requested,
    part: m.jobline_part,
    announced: m.jobline_announced,
    paused: m.jobline_paused,
    resumed: m.jobline_resumed,
    failed: m.jobline_failed,
    dropped: m.jobline_dropped,
    given_up: m.jobline_given_up,
    finished: m.jobline_finished,
  }
  return words[what]()
}

/** Describes the result: contacts by outcome, or the receiver's response. */
export function describeEventResult({ moment, attempt }: TimelineEvent): string {
  if (moment !== undefined)
    return OUTCOMES.filter((outcome) => moment[outcome] > 0)
      .map((outcome) =>
        m.jobline_counted({ count: formatNumber(moment[outcome]), outcome: getOutcomeTitle(outcome) }),
      )
      .join(language.comma)
  if (attempt === undefined) return ''
  if (attempt.status !== null) return m.jobline_status({ status: attempt.status })
  if (attempt.finished_at === null) return m.jobline_calling()
  return attempt.error ?? m.jobline_no_answer()
}
