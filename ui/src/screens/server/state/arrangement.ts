// What is arranged in a world besides its records. The change feed does not report it.
import { sendRequest, type MakeRequest } from '../admin-request'

/** Returns a text that differs whenever something else is arranged. Counts and times, which change by themselves, are
 *  not part of it. */
export async function readArrangementMark(make: MakeRequest): Promise<string> {
  const all = { query: { page_size: 1000 } }
  const [settings, jobs, callbacks, rules, profile, plan, receivers, clock] = await Promise.all([
    sendRequest(make('GET', '/settings')),
    sendRequest(make('GET', '/job_policy')),
    sendRequest(make('GET', '/callback_policy')),
    sendRequest(make('GET', '/faults/rules', all)),
    sendRequest(make('GET', '/faults/profile')),
    sendRequest(make('GET', '/faults/plan')),
    sendRequest(make('GET', '/hooks', all)),
    sendRequest(make('GET', '/clock')),
  ])
  return JSON.stringify([
    settings,
    jobs,
    callbacks,
    rules.items.map(({ name, rule }) => [name, rule]),
    profile,
    plan,
    receivers.items.map(({ name, answers_left }) => [name, answers_left]),
    [clock.mode, clock.rate],
  ])
}
