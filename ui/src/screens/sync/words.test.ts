// What a pull brought, in words.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PullSummary, SyncFailure, SyncStatus } from '../../api/generated'
import { syncState } from '../../parts/frame/sync-state.svelte'
import { m } from '../../gen/words'
import { describeFailure, describeIdleRun, isOfWholePull, describePull } from './words'

const CORE = join(import.meta.dirname, '..', '..', '..', '..', 'src-tauri')

const NOTHING: PullSummary = {
  at: '2026-11-26T08:00:00Z',
  added: 0,
  changed: 0,
  removed: 0,
  conflicts: 0,
  other_changes: [],
  unsupported: 0,
  lists: [],
  doubtful: [],
  gone: [],
  drifting: [],
  unnamed: 0,
  brought_back: 0,
  restored: [],
  missing_lists: [],
  missing_links: [],
  removed_lists: [],
  removed_links: [],
}

it('names a run only while nothing works on it, and says if it is in doubt', () => {
  const describeStatus = (status: Partial<SyncStatus>): string | undefined => {
    syncState.value = status as SyncStatus
    return syncState.idleRun && describeIdleRun(syncState.idleRun)
  }
  expect(describeStatus({ run: { id: 4, state: 'paused' }, work: null })).toBe('A run is not finished')
  expect(describeStatus({ run: { id: 4, state: 'in_doubt' }, work: null })).toBe('A run is in doubt')
  expect(
    describeStatus({ run: { id: 4, state: 'running' }, work: { kind: 'run' } as SyncStatus['work'] }),
  ).toBeUndefined()
  expect(describeStatus({ run: null, work: null })).toBeUndefined()
})

it('says once that the service cannot be reached', () => {
  const failure = (kind: SyncFailure['kind'], message: string) =>
    ({ kind, message, advice: null }) as SyncFailure
  const message = 'The service cannot be reached: Connection refused.'
  expect(describeFailure(failure('unreachable', message))).toEqual({ title: message })
  expect(describeFailure(failure('throttled', 'Wait 10 s.'))).toEqual({
    title: 'Too many requests',
    message: 'Wait 10 s.',
  })
})

it('has a plain name for every operation of the service', () => {
  const lanes = readFileSync(join(CORE, 'reconcile', 'src', 'plan', 'lane.rs'), 'utf8')
  const operations = [...lanes.matchAll(/= "(\w+\.\w+)";/g)].map((match) => match[1] ?? '')
  expect(operations).toHaveLength(16)
  const titles = operations.map((operation) => m.sync_operation({ operation }))
  expect(new Set(titles)).toHaveLength(16)
  expect(titles).not.toContain('Other requests')
})

describe('what a pull brought', () => {
  it('names the lists that were removed, which are not new or changed', () => {
    const removed_lists = [{ name: 'messy', contacts: 568 }]
    const other_changes: PullSummary['other_changes'] = [{ noun: 'list', count: 1 }]
    expect(describePull({ ...NOTHING, other_changes, removed_lists })).toBe(
      'list “messy” with 568 contacts removed (no longer at the service)',
    )
    expect(
      describePull({
        ...NOTHING,
        other_changes: [{ noun: 'list', count: 6 }],
        removed_lists: Array.from({ length: 4 }, (_, n) => ({ name: `List ${n}`, contacts: 1 })),
      }),
    ).toBe('4 lists removed (no longer at the service) and 2 lists new or changed')
  })

  it('names the short links that were removed', () => {
    const other_changes: PullSummary['other_changes'] = [{ noun: 'short_link', count: 3 }]
    expect(describePull({ ...NOTHING, other_changes, removed_links: ['Spring sale'] })).toBe(
      'short link “Spring sale” removed (no longer at the service) and 2 short links new or changed',
    )
  })

  it('is told apart from that of a list that was pulled since', () => {
    expect(isOfWholePull(NOTHING, '2026-11-26T08:00:00Z')).toBe(true)
    expect(isOfWholePull(NOTHING, '2026-11-26T07:54:00Z')).toBe(false)
  })
})
