// What must be agreed to before a deletion, how a copy is compared with the account, and what the check found.
import { afterEach, describe, expect, it } from 'vitest'
import type { ComparedAccount, ErasurePreview, OverviewCounts } from '../../api/generated'
import { learnSentences, translateSentence } from '../../api/sentences'
import * as German from '../../gen/language-de'
import { SENTENCES } from '../../gen/sentences'
import { language } from '../../lib/locale.svelte'
import { isSameNumber } from '../../parts/number/region'
import { createRequest, listConsents } from './consents'
import { compareCounts, describeConnection } from './words'

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
  mentioned_at_service: 0,
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

  it('tells contacts with the number from those whose texts mention it', () => {
    const hint = (at_service: number, mentioned_at_service: number): string | undefined =>
      listConsents({ ...PREVIEW, service: 'Shop', at_service, mentioned_at_service })[0]?.hint
    expect(hint(0, 0)).toBeUndefined()
    expect(hint(1, 0)).not.toContain('other contacts')
    expect(hint(0, 1)).toContain('Keep the contacts')
    expect(hint(0, 1)).not.toContain('delete them')
  })

  it('is confirmed by every spelling of the number, and by no other number', () => {
    for (const typed of [
      '+447700900001',
      '447700900001',
      '00447700900001',
      '07700900001',
      '07700 900 001',
      '+44 (0)7700 900-001',
      ' (07700) 900001 ',
      '٠٧٧٠٠٩٠٠٠٠١',
    ])
      expect(isSameNumber(typed, '+447700900001'), typed).toBe(true)
    for (const typed of ['', '0', '900001', '07700900002', '+17700900001', '7700900001 x', '007700900001'])
      expect(isSameNumber(typed, '+447700900001'), typed).toBe(false)
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
  const rows = compareCounts(counts(3), counts(2), { ...counts(2), lists: 0 })
  expect(rows.filter(({ differing }) => differing > 0)).toEqual([
    { title: 'Contacts', now: 3, restored: 2, differing: 2 },
  ])
  expect(rows).toHaveLength(6)
  const account = (service: string | null): ComparedAccount => ({
    name: 'Shop',
    counts: counts(3),
    service,
    unsent: 0,
  })
  expect(describeConnection(account('Svc'), account('Svc'))).toBeUndefined()
  expect(describeConnection(account('Svc'), account(null))).toContain('no connection to Svc')
  expect(describeConnection(account(null), account('Svc'))).toContain('has the connection to Svc')
})

describe('a fault that the check found', () => {
  afterEach(() => language.speak('en'))

  it.each([
    ['the list LST_1 counts 7 contacts and has 2', 'Die Liste LST_1 zählt 7 Kontakte, enthält aber 2'],
    ["the schema has notes, which is not Roost's", 'Das Schema enthält notes, das nicht von Roost stammt'],
    ['SQLite reports: row 1 missing from index a', 'SQLite meldet: row 1 missing from index a'],
    [
      'its log a.roost-wal is damaged at frame 3 of 9, and the changes after it cannot be read',
      'Das Protokoll a.roost-wal ist ab Frame 3 von 9 beschädigt, und die Änderungen danach lassen sich nicht lesen',
    ],
    [
      'an opt-out cannot be read: The account file is held by another program. Close it there and try again.',
      'Eine Abmeldung lässt sich nicht lesen: Die Kontodatei wird von einem anderen Programm verwendet. Schließen Sie sie dort, und versuchen Sie es erneut.',
    ],
  ])('is shown in the language of the window: %s', (english, german) => {
    learnSentences(SENTENCES)
    language.speak('de', German)
    expect(translateSentence(english)).toBe(german)
  })
})
