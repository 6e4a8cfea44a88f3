// The descriptions of rows.
import { expect, it } from 'vitest'
import type { RehearsedRow } from '../../../api/generated'
import { describeFixedRow, describeReason, describeResult } from './words'

const ROW: RehearsedRow = {
  row: 0,
  file: 0,
  place: 1,
  cells: [],
  is_mended: false,
  bucket: 'kept',
  reason: null,
  number: null,
  contact: null,
  contacts: 1,
  twin: null,
  is_opted_out: false,
  consents: [],
  changes: [],
  kept: [{ field: 'city', before: 'York', after: 'Hull', is_draft: false }],
  values: [],
}

it('names what the list keeps', () => {
  expect(describeResult(ROW, () => 'City')).toBe('City: keeps York, not Hull')
})

it('says of a fixed row that would not be imported why', () => {
  expect(describeFixedRow('new')).toBe('Valid: will be imported')
  expect(describeFixedRow('kept')).toBe('Valid, but already in the list: will be skipped')
  expect(describeFixedRow('opted_out')).toBe('Valid, but will be skipped: Opted out')
  expect(describeReason('not_a_number')).toBe('not a valid number')
})
