// The counts of what an import leaves out add up.
import { expect, it } from 'vitest'
import type { ImportLedger, ImportLedgerEntry } from '../../../api/generated'
import { countNumbersBeside, countTaken } from './ledger'

const entry = (change: Partial<ImportLedgerEntry>): ImportLedgerEntry => ({
  what: 'column',
  name: 'Notes',
  file: '',
  outcome: 'left_out',
  unit: 'values',
  count: 2,
  fields: [],
  reason: '',
  example: '',
  is_chosen: false,
  ...change,
})
const ledger = (left_out: number, ...entries: ImportLedgerEntry[]): ImportLedger => ({
  entries,
  columns: { all: 3, taken: 3, left_out: 0, not_data: 0 } as never,
  rows: { rejected: 0 } as never,
  cells: { all: 9, taken: 9 - left_out, left_out, rejected: 0, not_data: 0 } as never,
})
const SECOND = entry({ what: 'telephone', name: 'Phone', count: 1 })

it('counts numbers beside an imported one in its cell, which no count of cells knows', () => {
  expect(countNumbersBeside(ledger(0, SECOND))).toBe(1)
  expect(countNumbersBeside(ledger(2, entry({}), SECOND))).toBe(1)
  expect(countNumbersBeside(ledger(1, SECOND))).toBe(0)
  expect(countNumbersBeside(ledger(2, entry({})))).toBe(0)
})

it('counts the texts that are stored where the others have a date', () => {
  const dates = entry({ what: 'unread_date', outcome: 'taken', count: 3 })
  expect(
    countTaken(ledger(0, dates, entry({ what: 'date_form', outcome: 'taken' }), SECOND), 'unread_date'),
  ).toBe(3)
  expect(countTaken(ledger(0, SECOND), 'unread_date')).toBe(0)
})
