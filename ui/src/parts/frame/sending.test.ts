// Leaving asks about a run once, and about unsaved text only after that.
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SyncStatus } from '../../api/generated'
import { unsaved } from '../contact/unsaved.svelte'
import { mayLeave, mustAskToLeave, sending } from './sending.svelte'
import { syncState } from './sync-state.svelte'

const ANN = { list: 'spring', uid: 'ann', name: 'Ann Lee' }

function startRun(id: number): void {
  syncState.value = { work: { id, kind: 'run' } } as SyncStatus
}
const settle = (): Promise<void> => new Promise((done) => setTimeout(done))

beforeEach(() => startRun(1))
afterEach(() => {
  syncState.value = undefined
  unsaved.clear()
  sending.stay()
})

it('keeps unsaved text if the user keeps sending', async () => {
  unsaved.set('ann', ANN, { city: 'Leeds' })
  const leaves = mayLeave('quit')
  expect(unsaved.question).toBeUndefined()
  sending.answer(false)
  expect(await leaves).toBe(false)
  expect(unsaved.get('ann')).toEqual({ city: 'Leeds' })
})

it('asks once about a run if the window closes because the program quits', async () => {
  const quits = mayLeave('quit')
  sending.answer(true)
  expect(await quits).toBe(true)
  const closes = mayLeave('close')
  await settle()
  expect(sending.question).toBeUndefined()
  expect(await closes).toBe(true)
})

it('asks again about a later run, and if the user stayed because of unsaved text', async () => {
  unsaved.set('ann', ANN, { city: 'Leeds' })
  const first = mayLeave('close')
  sending.answer(true)
  await settle()
  unsaved.answer(false)
  expect(await first).toBe(false)

  const second = mayLeave('close')
  expect(sending.question).toBeDefined()
  sending.answer(true)
  await settle()
  unsaved.answer(true)
  expect(await second).toBe(true)

  startRun(2)
  const third = mayLeave('close')
  expect(sending.question).toBeDefined()
  sending.answer(false)
  expect(await third).toBe(false)
})

it('does not hold a tab of a browser because of a run, which goes on without it', () => {
  expect([mustAskToLeave('window'), mustAskToLeave('browser')]).toEqual([true, false])
  unsaved.set('ann', ANN, { city: 'Leeds' })
  expect(mustAskToLeave('browser')).toBe(true)
})
