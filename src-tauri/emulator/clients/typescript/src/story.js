/** What happened in a world, in a few lines. */
import { plain } from './journal.js'

/** @import { Callback, SettleResult, Clock, Job, JournalLine } from '../gen/types.d.ts' */

/** In the hint for what waits for a frozen clock. */
const CLOCK = '/clock/advance'

/**
 * @param {import('./world.js').World} world
 * @param {number} last
 */
export async function story(world, last) {
  const [lines, faults, jobs, callbacks, strays] = await Promise.all([
    world.journal.lines(last),
    world.faults.all(),
    world.jobs(),
    world.callbacks(),
    world.journal.unmatched(),
  ])
  const out = [`world ${world.name} at ${world.url}`]
  out.push(
    lines.length > 0 ? 'the last requests (-> to the service, <- from it):' : 'no requests',
    ...lines.map((line) => one(line)),
  )
  for (const { name, hits, seen, source, warning } of faults) {
    if (hits > 0) out.push(`fault '${name}' fired on ${hits} of ${seen} matching requests`)
    else if (source === 'rule') {
      const matched = seen > 0 ? `although ${seen} requests matched` : 'because no request matched'
      out.push(`fault '${name}' never fired: ${warning ?? matched}`)
    }
  }
  for (const job of jobs.slice(0, last)) if (job.state !== 'done') out.push(undone(job))
  for (const callback of callbacks.slice(0, last))
    if (callback.state !== 'delivered') out.push(owed(callback))
  for (const { method, url, closest, why } of strays.slice(-last)) {
    const routes = closest.map((known) => `${known.method} ${known.path}`).join(' or ')
    const meant = routes === '' ? `: ${why}` : `. Did you mean ${routes}?`
    out.push(`unmatched: ${method} ${plain(url)}${meant}`)
  }
  return out.join('\n')
}

/** @param {JournalLine} line */
function one({ seq, direction, method, url, status, rule, meant, why }) {
  const arrow = direction === 'in' ? '->' : '<-'
  const fault = rule ? ` (fault '${rule}'${meant ? `, otherwise ${meant.status}` : ''})` : ''
  const faults = why?.faults.slice(0, 3).map(({ path, message }) => ` ${path}: ${message}`) ?? []
  // The rule's name says enough.
  const words = why && !rule ? ` (${why.words}${faults.join('')})` : ''
  return `  ${String(seq).padStart(3)} ${arrow} ${method} ${plain(url)}: ${status ?? 'no response'}${fault}${words}`
}

/** @param {Job} job */
function undone({ id, done, contacts, held, paused }) {
  return `job ${id} has ${done} of ${contacts} contacts done${held || paused ? ' and is waiting' : ''}`
}

/** @param {Callback} callback */
function owed({ id, job_id: job, state, next_at: next, attempts }) {
  const tries = attempts.map(({ status, error }) => status ?? error)
  const came = tries.length > 0 ? `, after ${tries.join(', ')}` : ''
  return `callback ${id} of job ${job} is ${state.replace('_', ' ')}${next ? ` until ${next}` : ''}${came}`
}

/**
 * What was not done when the time was up.
 *
 * @param {SettleResult} waited
 * @param {Clock} clock
 */
export function unsettled(waited, { mode, now }) {
  const { jobs_waiting: jobs, jobs_held: held, waiting, open, stuck, undone: left } = waited
  const hints = [...new Set(left.flatMap(({ hint }) => hint ?? []))]
  const waits = hints.some((hint) => hint.includes(CLOCK))
  const clock = mode === 'frozen' ? `is frozen at ${now}; world.advance('1h') moves it` : `shows ${now}`
  return [
    `not settled${stuck ? ', and waiting cannot help' : ''}: jobs waiting: ${jobs + held}, callbacks waiting: ${waiting}`,
    ...left.filter(({ what }) => what === 'job').map(({ id, reason }) => `  job ${id}: ${reason}`),
    ...open.map((callback) => `  ${owed(callback)}`),
    ...hints.filter((hint) => !hint.includes(CLOCK)).map((hint) => `  ${hint}`),
    ...(waits ? [`  the world's clock ${clock}`] : []),
  ].join('\n')
}
