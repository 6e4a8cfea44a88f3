// What must be agreed to before a deletion, and how a copy is compared with the account.
import { describe, expect, it } from 'vitest'
import type { ErasurePreview, OverviewCounts } from '../../api/generated'
import { createRequest, listConsents } from './consents'
import { compareCounts } from './words'

const PREVIEW: ErasurePreview = {
  number: '+447700900001',
  rows: 7,
  records: [],
  copies: [],
  unreadable: [],
  has_imports: false,
  has_server_state: false,
  has_open_run: false,
  opt_outs: 1,
  steps_forgotten: 0,
  other_numbers: [],
  service: null,
  at_service: 0,
}
const NOTHING_MORE = {
  number: '+447700900001',
  rows: 7,
  here_only: false,
  delete_unreadable: false,
  discard_imports: false,
  discard_server_state: false,
}

describe('a deletion', () => {
  it('needs no consent if nothing stands in the way', () => {
    expect(listConsents(PREVIEW)).toEqual([])
    expect(createRequest(PREVIEW, {})).toEqual(NOTHING_MORE)
    expect(createRequest(PREVIEW, { here_only: false })).toEqual(NOTHING_MORE)
  })

  it('needs each consent that the account asks for', () => {
    const preview = {
      ...PREVIEW,
      service: 'Shop service',
      at_service: 2,
      unreadable: ['a.backup'],
      has_imports: true,
      has_server_state: true,
    }
    const ids = listConsents(preview).map(({ id }) => id)
    expect(ids).toEqual(['here_only', 'delete_unreadable', 'discard_imports', 'discard_server_state'])
    const all = Object.fromEntries(ids.map((id) => [id, true]))
    expect(createRequest(preview, all)).toEqual({ ...NOTHING_MORE, ...all })
    for (const id of ids) expect(createRequest(preview, { ...all, [id]: false }), id).toBeUndefined()
    expect(listConsents(preview)[0]?.hint).toContain('Shop service')
  })

  it('waits for a run, whatever was agreed to', () => {
    expect(createRequest({ ...PREVIEW, has_open_run: true }, {})).toBeUndefined()
  })
})

it('a copy is compared by the counts that people know', () => {
  const counts = (contacts: number): OverviewCounts => ({
    senders: 0,
    assets: 0,
    custom_fields: 0,
    lists: 1,
    contacts,
    opt_outs: 0,
    short_links: 0,
    jobs_waiting: 0,
  })
  const rows = compareCounts(counts(3), counts(2))
  expect(rows.filter(({ now, restored }) => now !== restored)).toEqual([
    { title: 'Contacts', now: 3, restored: 2 },
  ])
  expect(rows).toHaveLength(6)
})
