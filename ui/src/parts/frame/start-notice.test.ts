import { beforeEach, expect, test, vi } from 'vitest'
import { toasts } from '../../kit/over/toasts.svelte'

const { call } = vi.hoisted(() => ({ call: vi.fn<(name: string) => Promise<unknown>>() }))
vi.mock('../../api/call', () => ({ call }))

import { showStartNotice } from './start-notice'

const answer = (crash: unknown, isSafeMode: boolean, setAside: unknown[] = []) =>
  call.mockImplementation((name) =>
    Promise.resolve(
      name === 'start_notice_get' ? { crash, is_safe_mode: isSafeMode, set_aside: setAside } : {},
    ),
  )

beforeEach(() => {
  call.mockReset()
  for (const shown of toasts.shown) toasts.dismiss(shown)
})

test('after an ordinary end nothing is shown', async () => {
  answer(null, false)
  await showStartNotice()
  expect(toasts.shown).toEqual([])
})

test('a crash of the last time is shown with a button for its report, until somebody answers', async () => {
  answer({ at: '2026-01-05T09:05:07Z', path: '/data/crashes/a.txt' }, false)
  await showStartNotice()
  const [shown] = toasts.shown
  expect(shown?.kind).toBe('warning')
  expect(shown?.ask?.title).toBe('Show report')
  shown?.ask?.run()
  expect(call).toHaveBeenLastCalledWith('crash_report_reveal', {})
})

test('safe mode is reported to the page, which shows it as long as it lasts', async () => {
  answer(null, true)
  expect(await showStartNotice()).toBe(true)
  expect(toasts.shown).toEqual([])
})

test('a damaged file that was renamed is named until somebody answers', async () => {
  answer(null, false, [
    { what: 'account_list', kept_as: '/data/accounts.json.damaged' },
    { what: 'preferences', kept_as: '/data/preferences.json.damaged' },
    { what: 'account_log', kept_as: '/data/.shop.roost.damaged-log-20260105-090000' },
  ])
  expect(await showStartNotice()).toBe(false)
  expect(toasts.shown.map(({ text }) => text)).toEqual([
    expect.stringContaining(' accounts.json.damaged'),
    expect.stringContaining(' preferences.json.damaged'),
    expect.stringContaining(' .shop.roost.damaged-log-20260105-090000'),
  ])
  expect(toasts.shown.every(({ ask }) => ask !== undefined)).toBe(true)
})

test('a core that does not answer changes nothing', async () => {
  call.mockRejectedValue(new Error('gone'))
  await showStartNotice()
  expect(toasts.shown).toEqual([])
})
