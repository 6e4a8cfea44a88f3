// The question about lost opt-outs goes when the act that lost them is undone, however it is undone. Until the user
// decides, the account remembers it.
import { beforeEach, expect, it, vi } from 'vitest'
import type { ChangeEvent, LostOptOut } from '../../api/generated'
import { toasts } from '../../kit/over/toasts.svelte'
import { undoHistory } from '../frame/undo.svelte'
import { askAboutLost, decideLost } from './lost-opt-outs'
import { waitingOptOuts } from './waiting-opt-outs.svelte'

const STEP = { id: 7, act: 'contact_update', subject: 'Ann', count: 1 }
const LOST: LostOptOut = {
  number: '+447700900002',
  opted_out: '+447700900001',
  channel: 'SMS',
  asset: null,
}
let rows = 1
const stored = new Map<string, unknown>()
const added: unknown[] = []

function respond(name: string, payload: Record<string, unknown>): unknown {
  switch (name) {
    case 'history_undo':
      return { step: STEP, rows, kept: 0, opt_outs_kept: 1 - rows }
    case 'ui_state_get':
      return { values: Object.fromEntries(stored) }
    case 'ui_state_put':
      if (payload['value'] === null) stored.delete(payload['key'] as string)
      else stored.set(payload['key'] as string, payload['value'])
      return {}
    case 'opt_out_lost':
      return payload
    case 'opt_out_add':
      added.push(payload['entries'])
      return { added: 1 }
    default:
      return { undo: STEP, redo: null }
  }
}

vi.mock('../../api/call', () => ({
  actNumberOf: (origin: string) => Number(origin),
  lastActNumber: () => 3,
  call: (name: string, payload: Record<string, unknown>) => Promise.resolve(respond(name, payload)),
}))

const questions = (): number => toasts.shown.filter(({ ask }) => ask !== undefined).length

beforeEach(async () => {
  for (const shown of toasts.shown) {
    shown.ask?.close()
    toasts.dismiss(shown)
  }
  rows = 1
  await waitingOptOuts.remove([LOST])
  added.length = 0
  askAboutLost([LOST])
  await undoHistory.handleChange({ origin: '3', step: STEP.id, nouns: ['contact'] } as unknown as ChangeEvent)
  expect(questions()).toBe(1)
})

it('goes with the last act', async () => {
  await undoHistory.undo()
  expect(questions()).toBe(0)
})

it('goes with one of many acts', async () => {
  await undoHistory.takeBack()
  expect(questions()).toBe(0)
})

it('stays if nothing was undone', async () => {
  rows = 0
  await undoHistory.undo()
  expect(questions()).toBe(1)
})

it('waits after its message was dismissed, until the user decides', async () => {
  toasts.lines[0]?.ask?.close()
  await waitingOptOuts.add([LOST])
  expect(waitingOptOuts.value).toEqual([LOST])
  await decideLost([LOST], false)
  expect([waitingOptOuts.value, stored.size, added]).toEqual([[], 0, []])
})

it('waits no more once the number is opted out', async () => {
  await decideLost([LOST], true)
  expect(added).toEqual([[{ number: LOST.number, channels: ['SMS'], asset: null }]])
  expect([questions(), waitingOptOuts.value, stored.size]).toEqual([0, [], 0])
})

it('keeps as many as there are, over several stored values', async () => {
  const many = Array.from({ length: 1_500 }, (_, at) => ({ ...LOST, number: `+4477009${at}` }))
  await waitingOptOuts.add(many)
  expect([waitingOptOuts.value.length, stored.size]).toEqual([1_501, 4])
  await waitingOptOuts.remove(many)
  expect([waitingOptOuts.value, stored.size]).toEqual([[LOST], 1])
})
