// The text of a row of changes: there is one for every row, and it shows how values differ that look alike.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangeCell, ChangeRow } from './types'
import { recordTitle } from '../opt-out'
import { changeText, valuesLookAlike, getFieldTitle } from './words'

const text = fc.option(fc.string())
const list = fc.option(fc.record({ id: fc.nat(), uid: fc.string(), name: fc.string() }))
const row: fc.Arbitrary<ChangeRow> = fc.record({
  key: fc.constant({ noun: 'contact', id: '1' } as const),
  uid: text,
  title: fc.string(),
  kind: fc.constantFrom('new', 'changed', 'moved', 'deleted'),
  is_held: fc.boolean(),
  is_conflict: fc.boolean(),
  faults: fc.constant([]),
  cells: fc.array(
    fc.record({
      field: fc.constant('city'),
      title: fc.constant('City'),
      before: text,
      after: text,
      is_held: fc.boolean(),
      is_clash: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  list,
  was_in: list,
  source: fc.constant(null),
  at: fc.constant(null),
  step: fc.constant(null),
})

test('a field has one word, whichever of its names the service uses', () => {
  const titles = ['whatsapp_number', 'whatsapp_id'].map((field) => getFieldTitle({ field, title: field }))
  expect(titles).toEqual(['WhatsApp number', 'WhatsApp number'])
})

test('whatever a row holds, it says what changed', () => {
  fc.assert(
    fc.property(row, (one) => {
      expect(changeText(one).trim()).not.toBe('')
    }),
  )
})

test('a row that was moved says so, with its fields', () => {
  const [one] = fc.sample(row, 1)
  const moved = { ...one, kind: 'moved', list: { id: 2, uid: 'b', name: 'Spring' } } as ChangeRow
  const from = { ...moved, was_in: { id: 1, uid: 'a', name: 'Winter' }, cells: [] }
  expect(changeText(from)).toBe('From “Winter” to “Spring”')
  expect(changeText({ ...moved, was_in: null, cells: [] })).toContain('“Spring”')
})

test('values that differ in what nobody sees are pointed out', () => {
  const cell = (before: string | null, after: string | null): ChangeCell => ({
    field: 'city',
    title: 'City',
    before,
    after,
    is_held: false,
    is_clash: false,
  })
  for (const after of ['Köln ', 'Ko\u0308ln', 'Köln\u200b', '\u00a0Köln'])
    expect(valuesLookAlike(cell('Köln', after)), JSON.stringify(after)).toBe(true)
  expect(valuesLookAlike(cell('Köln', 'Bonn'))).toBe(false)
  expect(valuesLookAlike(cell(null, ''))).toBe(false)
})

test('an opt-out is described in words, with its channel', () => {
  const cell = (field: string, after: string): ChangeCell => ({
    field,
    title: field,
    before: null,
    after,
    is_held: false,
    is_clash: false,
  })
  const [one] = fc.sample(row, 1)
  const key = { noun: 'opt_out', id: '+447700900001 WHATSAPP ' } as const
  const added = { ...one, key, title: '+447700900001', kind: 'new', list: null, was_in: null } as ChangeRow
  const description = changeText({
    ...added,
    cells: [cell('kind', 'account_import'), cell('time', '1767603600')],
  })
  expect(recordTitle(added)).toBe('+447700900001 on WhatsApp')
  expect(description).toContain('Added in the account')
  expect(description).toContain('2026')
  expect(description).not.toMatch(/account_import|1767603600|kind|time/)
})
