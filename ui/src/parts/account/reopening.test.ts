// The page starts again after an action that closed the account, and says what became of it.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Failure } from '../../api/errors'
import { toasts } from '../../kit/over/toasts.svelte'
import { overview } from '../overview.svelte'
import { reopening } from './reopening'

let opening = 1
vi.mock('../../api/call', () => ({
  call: () => Promise.resolve({ account: { opening } }),
}))
const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)

beforeEach(async () => {
  opening = 1
  await overview.load()
})
afterEach(() => {
  reload.mockClear()
  sessionStorage.clear()
  reopening.isUnderWay = false
  for (const shown of toasts.shown) toasts.dismiss(shown)
})

const texts = (): string[] => toasts.shown.map(({ kind, text }) => `${kind}: ${text}`)

it('reloads and says once that it is done', async () => {
  await reopening.run(() => Promise.resolve('Restored.'))
  expect(reload).toHaveBeenCalledOnce()
  reopening.showOutcome()
  reopening.showOutcome()
  expect(texts()).toEqual(['done: Restored.'])
})

it('reloads and says why it failed if the account was opened again', async () => {
  await reopening.run(() => {
    opening = 2
    return Promise.reject(new Failure('conflict', 'The copy is damaged.'))
  })
  expect(reload).toHaveBeenCalledOnce()
  expect(reopening.isUnderWay).toBe(true)
  reopening.showOutcome()
  expect(texts()).toEqual(['fault: The copy is damaged.'])
})

it('stays where it is if the action was refused and the account stayed open', async () => {
  const refused = new Failure('unsupported', 'Not here.')
  await expect(reopening.run(() => Promise.reject(refused))).rejects.toBe(refused)
  expect([reload.mock.calls.length, reopening.isUnderWay]).toEqual([0, false])
  reopening.showOutcome()
  expect(texts()).toEqual([])
})
