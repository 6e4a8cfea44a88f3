// The mark of what is arranged in a world: it changes with what somebody arranges, and with nothing else.
import { beforeEach, expect, test, vi } from 'vitest'
import { createRequestMaker } from '../admin-request'
import { readArrangementMark } from './arrangement'

const { answers } = vi.hoisted(() => ({ answers: new Map<string, unknown>() }))
vi.mock('../../../api/call', () => ({
  call: (_: string, { target }: { target: string }) =>
    Promise.resolve(answers.get(target.replace(/\?.*$/, '').replace('/__admin', ''))),
}))

const rule = { name: 'down', rule: { effect: { status: 503 } }, seen: 0, hits: 0 }
const mark = () => readArrangementMark(createRequestMaker('default'))

beforeEach(() => {
  answers.clear()
  for (const [path, answer] of Object.entries({
    '/settings': { limits: 'on' },
    '/job_policy': { progress: 'immediate' },
    '/callback_policy': { hold: false },
    '/faults/rules': { items: [rule] },
    '/faults/profile': { name: null },
    '/faults/plan': { plan: null },
    '/hooks': { items: [{ name: 'inbox', came: 0, answers_left: 1 }] },
    '/clock': { mode: 'real', rate: null, now: '2026-01-05T09:00:00Z' },
  }))
    answers.set(path, answer)
})

test('the mark does not change with counts and the time', async () => {
  const before = await mark()
  answers.set('/faults/rules', { items: [{ ...rule, seen: 5, hits: 2 }] })
  answers.set('/hooks', { items: [{ name: 'inbox', came: 3, answers_left: 1 }] })
  answers.set('/clock', { mode: 'real', rate: null, now: '2026-01-05T09:00:07Z' })
  expect(await mark()).toBe(before)
})

test.each([
  ['/settings', { limits: 'off' }],
  ['/job_policy', { progress: 'manual' }],
  ['/callback_policy', { hold: true }],
  ['/faults/rules', { items: [{ ...rule, rule: { effect: { status: 500 } } }] }],
  ['/faults/profile', { name: 'flaky' }],
  ['/faults/plan', { plan: { seed: 1 } }],
  ['/hooks', { items: [] }],
  ['/clock', { mode: 'frozen', rate: null }],
])('a change of %s changes it', async (path, answer) => {
  const before = await mark()
  answers.set(path, answer)
  expect(await mark()).not.toBe(before)
})
