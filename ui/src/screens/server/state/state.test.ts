// The logic of the differences between two states: one line for each record, field and part of the arrangement.
import { describe, expect, test } from 'vitest'
import { listArrangementChanges, listDifferences } from './state'

describe('what differs besides the records', () => {
  test('has a line for each part and name, with both values', () => {
    expect(
      listArrangementChanges([
        { part: 'settings', name: 'limits.per_second', from: 10, to: 7 },
        { part: 'faults', name: 'down', from: null, to: { effect: { status: 503 } } },
        { part: 'clock', name: 'mode', from: 'real', to: 'frozen' },
      ]),
    ).toEqual([
      {
        key: 'settings limits.per_second',
        part: 'settings',
        name: 'limits.per_second',
        before: '10',
        after: '7',
      },
      { key: 'faults down', part: 'faults', name: 'down', before: '', after: '{"effect":{"status":503}}' },
      { key: 'clock mode', part: 'clock', name: 'mode', before: 'real', after: 'frozen' },
    ])
  })

  test('keeps a setting and a rule of one name apart', () => {
    const keys = listArrangementChanges([
      { part: 'job_policy', name: 'faults', from: [], to: [{}] },
      { part: 'faults', name: 'faults', from: null, to: {} },
    ]).map(({ key }) => key)
    expect(new Set(keys).size).toBe(2)
  })
})

describe('the differences of records', () => {
  test('name a record on one side by what it is called, and a changed one by its fields', () => {
    expect(
      listDifferences({
        added: { count: 1, items: [{ key: 'LST_1', fields: { name: 'VIP' } }] },
        removed: { count: 1, items: [{ key: 'CON_1', fields: { phone: '+447700900001' } }] },
        changed: {
          count: 1,
          items: [{ key: 'ssd_1', fields: { status: { before: 'Pending', after: 'Verified' } } }],
        },
      }).map(({ kind, record, field, before, after }) => [kind, record, field, before, after]),
    ).toEqual([
      ['added', 'LST_1', '', '', 'VIP'],
      ['removed', 'CON_1', '', '+447700900001', ''],
      ['changed', 'ssd_1', 'status', 'Pending', 'Verified'],
    ])
  })
})
