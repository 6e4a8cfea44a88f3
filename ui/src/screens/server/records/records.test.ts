// The logic of the records browser: the changes of a form, the keys of records, valid JSON.
import { describe, expect, test } from 'vitest'
import {
  findChanges,
  findDifferences,
  toDraft,
  listFields,
  getKey,
  getName,
  parseRecord,
  isSameRecord,
} from './kinds'
import { RecordForm } from './form.svelte'

const LINK = { link_id: 'shl_1', title: 'A', tags: ['x'], track_clicks: false }

describe('a form of a record', () => {
  const fields = listFields('short_links', LINK, [])

  test('changes nothing as it begins', () => {
    expect(findChanges(fields, toDraft(fields, LINK), toDraft(fields, LINK))).toEqual({})
  })

  test('sends what was changed, and null for what was emptied', () => {
    const draft = { ...toDraft(fields, LINK), title: ' ', tags: [], track_clicks: true }
    expect(findChanges(fields, draft, toDraft(fields, LINK))).toEqual({
      title: null,
      tags: [],
      track_clicks: true,
    })
  })

  test('of a new record leaves out the default values', () => {
    const begun = toDraft(fields)
    expect(findChanges(fields, { ...begun, title: 'B' }, begun)).toEqual({ title: 'B' })
    expect(findChanges(fields, { ...begun, track_clicks: false }, begun)).toEqual({ track_clicks: false })
  })

  test('has the custom fields of the account, and whatever else is there, before the times', () => {
    const names = listFields('contacts', { field_9: 'x' }, [1]).map(({ name }) => name)
    expect(names.slice(names.indexOf('alternate_phone'))).toEqual([
      'alternate_phone',
      'field_1',
      'field_9',
      'created_at',
      'updated_at',
      'list_uid',
      'uid',
    ])
  })

  test('goes from fields to JSON and back with what was written', () => {
    const form = new RecordForm(fields)
    form.draft = { ...form.draft, title: 'B' }
    form.write(true)
    expect(JSON.parse(form.json)).toEqual({ title: 'B' })
    form.json = '{"title":"C","tags":["y"]}'
    form.write(false)
    expect(form.given).toEqual({ title: 'C', tags: ['y'] })
  })

  test('sends nothing while the JSON is invalid', () => {
    const form = new RecordForm(fields, LINK)
    form.write(true)
    expect(form.given).toEqual({})
    form.json = '{"title"'
    expect(form.given).toBeUndefined()
    form.write(false)
    expect([form.isJson, form.json]).toEqual([true, '{"title"'])
  })

  test('keeps what was written while it was saved, in fields', () => {
    const form = new RecordForm(fields, LINK)
    form.draft = { ...form.draft, title: 'B', target_url: 'https://shop.example/b' }
    const sent = form.written()
    form.draft = { ...form.draft, title: 'C' }
    const next = new RecordForm(fields, { ...LINK, title: 'B', target_url: 'https://shop.example/' })
    next.carry(form, sent)
    expect(next.given).toEqual({ title: 'C' })
  })

  test('keeps what was written while it was saved, as JSON, and nothing that was sent', () => {
    const form = new RecordForm(fields, LINK)
    form.write(true)
    form.json = JSON.stringify({ ...LINK, title: 'B' })
    const sent = form.written()
    const saved = { ...LINK, title: 'B' }
    const again = new RecordForm(fields, saved)
    again.carry(form, sent)
    expect([again.isJson, again.given]).toEqual([false, {}])
    form.json = JSON.stringify({ ...LINK, title: 'C' })
    const next = new RecordForm(fields, saved)
    next.carry(form, sent)
    expect([next.isJson, next.given]).toEqual([true, { title: 'C' }])
    form.write(false)
    const drawn = new RecordForm(fields, saved)
    drawn.carry(form, sent)
    expect([drawn.isJson, drawn.given]).toEqual([false, { title: 'C' }])
  })
})

describe('a record', () => {
  test('is called what people know it by, and named as the operator names it', () => {
    const optout = {
      number: '+447700900001',
      channel: 'SMS',
      asset_id: 'num_1',
      account_level_opt_out: false,
    }
    expect(getKey('opt_outs', optout)).toBe('+447700900001 SMS num_1')
    expect(getKey('opt_outs', { ...optout, account_level_opt_out: true })).toBe('+447700900001 SMS')
    expect(getName('contacts', { uid: 'CON_1', email_address: 'ada@shop.example' })).toBe('ada@shop.example')
    expect(getName('contacts', { uid: 'CON_1' })).toBe('CON_1')
  })

  test('is read from JSON when it is an object', () => {
    expect(parseRecord('[]')).toBeUndefined()
    expect(parseRecord('null')).toBeUndefined()
    expect(parseRecord('{"a":1}')).toEqual({ a: 1 })
  })

  test('lists a removed field as null in the differences', () => {
    expect(findDifferences({ a: 1 }, { a: 1, b: 2 })).toEqual({ b: null })
    expect(isSameRecord({ a: [1] }, { a: [1] })).toBe(true)
    expect(isSameRecord(null, {})).toBe(false)
  })
})
