// An act that can no longer be undone can be skipped where its failure is shown.
import { beforeEach, expect, it, vi } from 'vitest'
import { Failure } from '../../api/errors'
import { toasts } from '../../kit/over/toasts.svelte'
import { undoHistory } from './undo.svelte'

const STUCK = { id: 7, act: 'changes_discard', subject: null, count: 1 }
const BEFORE = { id: 5, act: 'contact_update', subject: 'Ann', count: 1 }
let before: string | null = null
let next: typeof STUCK | typeof BEFORE | null = STUCK
let failure = new Failure('conflict', 'Could not be undone.')
const called: string[] = []

vi.mock('../../api/call', () => ({
  actNumberOf: () => undefined,
  call: (name: string) => {
    called.push(name)
    if (name === 'history_undo') return Promise.reject(failure)
    if (name !== 'history_pass_over')
      return Promise.resolve({ undo: next, redo: null, before_restore: before })
    next = BEFORE
    return Promise.resolve({ step: STUCK })
  },
}))

beforeEach(() => {
  for (const shown of toasts.shown) toasts.dismiss(shown)
  before = null
  next = STUCK
  failure = new Failure('conflict', 'Could not be undone.')
  called.length = 0
})

it('offers to skip the act, and skips it once', async () => {
  await undoHistory.undo()
  const [question] = toasts.lines
  expect(question?.text).toBe('Could not be undone.')
  question?.ask?.run()
  await vi.waitFor(() => expect(undoHistory.next.undo?.id).toBe(BEFORE.id))
  expect(toasts.lines).toEqual([])
  expect(toasts.messages.map(({ text }) => text)).toEqual(['Skipped: Discarded a change'])
  question?.ask?.run()
  await undoHistory.load()
  expect(called.filter((name) => name === 'history_pass_over')).toHaveLength(1)
})

it('fails as before if there is nothing to skip', async () => {
  next = null
  await expect(undoHistory.undo()).rejects.toBe(failure)
  next = BEFORE
  await expect(undoHistory.undo(STUCK.id)).rejects.toBe(failure)
  failure = new Failure('internal', 'Broken.')
  await expect(undoHistory.undo()).rejects.toBe(failure)
  expect(toasts.lines).toEqual([])
})

it('stops at the restore of a copy and leads to the copies', async () => {
  next = null
  before = 'shop.roost.replaced-20260105-090000.backup'
  failure = new Failure('conflict', `To go back, restore the copy ${before}.`)
  await undoHistory.load()
  expect(undoHistory.canUndo).toBe(true)
  await undoHistory.undo()
  expect(toasts.messages.map(({ text, link }) => [text, link?.title])).toEqual([
    [failure.message, 'Backups and safety'],
  ])
})
