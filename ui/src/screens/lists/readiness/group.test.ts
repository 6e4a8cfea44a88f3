// Links to groups: a link shows the contacts that its count includes.
import { describe, expect, it } from 'vitest'
import { parseRoute } from '../../../lib/router.svelte'
import { readLinkedFilter } from '../contacts/filter/linked-filter'
import { writeCountsFile } from './counts-file'
import { CHANNELS, toGroupFilter, groupHref, decodeGroup, encodeGroup, listStatuses } from './group'

const LIST = 'LST_2abc'
const groups = CHANNELS.flatMap((channel) =>
  listStatuses(channel).flatMap((status) => [
    { channel, status },
    { channel, status, asset: 'num_0ujsswThIGTUYm2K8FjOOfXtY1K' },
  ]),
)

describe('a link to a group of contacts', () => {
  it.each(groups)('asks for $channel, $status from $asset', (group) => {
    const { section, params, query } = parseRoute(groupHref(LIST, group))
    expect([section, ...params]).toEqual(['lists', LIST])
    expect(readLinkedFilter(query)).toEqual({ all: [toGroupFilter(group)] })
    expect(decodeGroup(encodeGroup(group))).toEqual(group)
  })

  it('asks for every group by another filter', () => {
    const filters = groups.map((group) => JSON.stringify(toGroupFilter(group)))
    expect(new Set(filters).size).toBe(groups.length)
    expect(toGroupFilter({ channel: 'sms', status: 'no_number' })).toEqual({
      readiness: 'no_number',
      channel: 'sms',
    })
  })

  it('asks for drafts', () => {
    expect(readLinkedFilter({ drafts: 'yes' })).toEqual({ all: [{ draft: true }] })
  })

  it('asks for nothing where the address names no group', () => {
    for (const word of [
      '',
      'sms',
      'fax.ready',
      'sms.maybe',
      'whatsapp.landline',
      'sms.ready.',
      'sms.ready.a.b',
    ])
      expect(readLinkedFilter({ readiness: word }), word).toBeUndefined()
    expect(readLinkedFilter({})).toBeUndefined()
  })
})

describe('the file of the counts', () => {
  it('has a row for each channel and for each of our numbers', () => {
    const counts = { opted_out: 1, no_number: 2, invalid: 3, landline: 4, duplicate: 5, ready: 6 }
    const assets = [
      { asset: 'num_1', number: '+447700900100', counts: { ...counts, opted_out: 0, ready: 7 } },
    ]
    const file = writeCountsFile({
      contacts: 21,
      at: '2026-01-05T09:00:00Z',
      channels: [
        { channel: 'SMS', counts, assets },
        { channel: 'WHATSAPP', counts, assets: [] },
      ],
    })
    expect(file.split('\r\n')).toEqual([
      'Channel,Your number,Contacts,Opted out,No number,Invalid number,Landline,Duplicate,Ready',
      'SMS,All,21,1,2,3,4,5,6',
      'SMS,+447700900100,21,0,2,3,4,5,7',
      'WhatsApp,All,21,1,2,3,4,5,6',
      '',
    ])
  })
})
