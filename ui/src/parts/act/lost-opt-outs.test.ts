// The question about lost opt-outs goes when the act that lost them is undone, however it is undone.
import { beforeEach, expect, it, vi } from 'vitest'
import type { ChangeEvent } from '../../api/generated'
import { toasts } from '../../kit/over/toasts.svelte'
import { undoHistory } from '../frame/undo.svelte'
import { askAboutLost } from './lost-opt-outs'

const STEP = { id: 7, act: 'contact_update', subject: 'Ann', count: 1 }
let rows = 1

vi.mock('../../api/call', () => ({
  actNumberOf: (origin: string) => Number(origin),
  lastActNumber: () => 3,
  call: (name: string) =>
    Promise.resolve(
      name === 'history_undo'
        ? { step: STEP, rows, kept: 0, opt_outs_kept: 1 - rows }
        : { undo: STEP, redo: null },
    ),
}))

const questions = (): number => toasts.shown.filter(({ ask }) => ask !== undefined).length

beforeEach(async () => {
  for (const shown of toasts.shown) {
    shown.ask?.close()
    toasts.dismiss(shown)
  }
  rows = 1
  askAboutLost([{ number: '+447700900002', opted_out: '+447700900001', channel: 'SMS', asset: null }])
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
