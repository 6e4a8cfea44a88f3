// Pasted numbers, typed counts, and the requests that filters lead to.
import { describe, expect, it } from 'vitest'
import { OPT_OUT_CHANNELS } from '../../parts/optout-badge/words'
import { ImportState } from './import/import.svelte'
import {
  parseCount,
  describeCounts,
  describeFaults,
  explainInvalid,
  splitLines,
  findReasonFault,
  splitIntoSlices,
} from './numbers'
import { NO_FILTER, countActiveFilters, toQuery } from './optouts-page.svelte'
import { getScopeAsset, toRecordKey } from './words'

describe('pasted numbers', () => {
  it('keep the number of their line', () => {
    expect(splitLines('+447700900001\r\n\r\n 07700 900002 ')).toEqual([
      { line: 1, text: '+447700900001' },
      { line: 3, text: '07700 900002' },
    ])
  })

  it('may stand in one line, with commas or semicolons between them', () => {
    expect(splitLines('+447700900001, +447700900002;07700 900003\njunk')).toEqual([
      { line: 1, text: '+447700900001' },
      { line: 1, text: '+447700900002' },
      { line: 1, text: '07700 900003' },
      { line: 2, text: 'junk' },
    ])
  })

  it('may stand in one cell, with a stroke between them', () => {
    expect(splitLines('07700900001 / 07700900002\n07700 900001/2').map(({ text }) => text)).toEqual([
      '07700900001',
      '07700900002',
      '07700 900001/2',
    ])
  })

  it('are counted apart from other texts', () => {
    expect(describeCounts(splitLines('+447700900001'))).toBe('1 number')
    expect(describeCounts(splitLines('+447700900001, 07700 900002\njunk'))).toBe('2 numbers and 1 other text')
  })

  it('have a reason if they are invalid', () => {
    expect(explainInvalid('junk', true)).toBe('No digits')
    expect(explainInvalid('07700 90O001', true)).toBe('Contains letters')
    expect(explainInvalid('+44', true)).toBe('Too few digits')
    expect(explainInvalid('+4477009000011234567', true)).toBe('Too many digits')
    expect(explainInvalid('+44 7700', true)).toBe('No such number in its country')
    expect(explainInvalid('7700 900', true)).toMatch(/in the selected country/)
    expect(explainInvalid('7700 900', false)).toMatch(/no country selected/)
  })

  it('name the line of a fault, not its place among the entries', () => {
    const lines = splitLines('1\n\n22')
    const words = describeFaults([{ path: 'entries[1].number', message: 'Not in E.164.' }], lines)
    expect(words).toContain('3')
    expect(words).toContain('“22”')
    expect(words).not.toContain('E.164')
    expect(describeFaults([{ path: 'entries[1].asset', message: 'No such.' }], lines)).toMatch(/3.*No such\./)
  })

  it('have no words for faults of other fields', () =>
    expect(describeFaults([{ path: 'reason', message: 'x' }], splitLines('1'))).toBeUndefined())

  it('have only some of their faults listed, and the others counted', () => {
    const faults = Array.from({ length: 5 }, (_, at) => ({ path: `entries[${at}].number`, message: 'No.' }))
    expect(describeFaults(faults, splitLines('1\n2\n3\n4\n5'))).toMatch(/2/)
  })

  it('are cut into parts that lose none', () => {
    const parts = splitIntoSlices(
      Array.from({ length: 12 }, (_, at) => at),
      5,
    )
    expect(parts.map((part) => part.length)).toEqual([5, 5, 2])
    expect(parts.flat()).toHaveLength(12)
  })
})

describe('a typed count', () => {
  it.each([
    ['12', 12],
    ['1,234', 1234],
    ['1 234', 1234],
    ['', undefined],
    ['twelve', undefined],
    ['-1', undefined],
  ])('“%s” is %s', (text, count) => expect(parseCount(text)).toBe(count))
})

describe('a reason', () => {
  it('has 1 to 500 characters', () => {
    expect(findReasonFault(' ')).toBeDefined()
    expect(findReasonFault('🐦'.repeat(500))).toBeUndefined()
    expect(findReasonFault('a'.repeat(501))).toBeDefined()
  })
})

describe('a filter', () => {
  it('asks for everything when it is empty', () => {
    const { number, kind, channel, scope, asset, inbound_number, from, to } = toQuery(NO_FILTER, 'DESC', 1)
    expect([number, kind, channel, scope, asset, inbound_number, from, to]).toEqual(Array(8).fill(null))
  })

  it('counts what narrows besides the number', () =>
    expect(countActiveFilters({ ...NO_FILTER, number: '77', kind: 'keyword', to: '2026-01-05' })).toBe(2))
})

it('records of one number differ by channel and scope', () => {
  const record = { number: '+447700900001', channel: 'SMS', scope: 'account' } as const
  expect(getScopeAsset(record.scope)).toBeNull()
  expect(toRecordKey(record)).not.toBe(toRecordKey({ ...record, channel: 'WHATSAPP' }))
})

it('every channel is ticked at first wherever numbers are opted out', () => {
  expect(OPT_OUT_CHANNELS).toEqual(['SMS', 'WHATSAPP'])
  expect(new ImportState().channels).toEqual(OPT_OUT_CHANNELS)
})
