// The effect of answers and rules on conflicts.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countDecided,
  isSame,
  findNextOpen,
  findNextUndecided,
  getResult,
  RULES,
  countResolvedBy,
} from './resolve'
import type { FieldFork, ConflictRow } from './types'

const fork = (given: Partial<FieldFork>): FieldFork => ({
  field: 'city',
  title: 'City',
  base: 'Leeds',
  mine: 'York',
  theirs: 'Hull',
  answer: null,
  ...given,
})
const row = (forks: FieldFork[]): ConflictRow => ({
  key: { noun: 'contact', id: '1' },
  uid: null,
  title: 'Contact 1',
  list: null,
  dispute: 'fields',
  forks,
  agreed: [],
  rows: null,
  contacts: null,
  choice: null,
})

test('an answer takes the value of its side, or its own', () => {
  expect(getResult(fork({}))).toBeUndefined()
  expect(getResult(fork({ answer: { answer: 'mine' } }))).toEqual({ value: 'York' })
  expect(getResult(fork({ answer: { answer: 'theirs' } }))).toEqual({ value: 'Hull' })
  expect(getResult(fork({ answer: { answer: 'base' } }))).toEqual({ value: 'Leeds' })
  expect(getResult(fork({ answer: { answer: 'value', value: null } }))).toEqual({ value: null })
})

test('a rule settles what the core counted, and asking settles nothing', () => {
  const settles = { mine: 4, theirs: 4, non_empty: 1, longer: 3 }
  expect(RULES.map((rule) => countResolvedBy(rule, { settles }))).toEqual([0, 4, 4, 1, 3])
})

test('the next open field is found from anywhere, and never an answered one while another is open', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), fc.nat(9), (open, from) => {
      const forks = open.map((isOpen, at) =>
        fork({ field: `f${at}`, answer: isOpen ? null : { answer: 'mine' } }),
      )
      const next = findNextOpen(forks, `f${from}`)
      const found = forks.find(({ field }) => field === next)
      expect(found).toBeDefined()
      if (open.some(Boolean)) expect(found?.answer).toBeNull()
    }),
  )
  const forks = [fork({ field: 'a' }), fork({ field: 'b' }), fork({ field: 'c', answer: { answer: 'mine' } })]
  expect(findNextOpen(forks)).toBe('a')
  expect(findNextOpen(forks, 'a')).toBe('b')
  expect(findNextOpen(forks, 'b')).toBe('a')
  expect(findNextOpen([])).toBeUndefined()
})

test('equal answers are known, and how much of a row is decided', () => {
  expect(isSame(null, { answer: 'mine' })).toBe(false)
  expect(isSame({ answer: 'mine' }, { answer: 'mine' })).toBe(true)
  expect(isSame({ answer: 'value', value: 'a' }, { answer: 'value', value: 'b' })).toBe(false)
  expect(countDecided(row([fork({}), fork({ answer: { answer: 'base' } })]))).toBe(1)
  expect(countDecided({ ...row([]), choice: 'recreate' })).toBe(1)
})

test('after an answer the next row that nobody decided about follows, from the start if need be', () => {
  const rows = ([null, 'recreate', 'create_again', null] as const).map((choice) => ({ ...row([]), choice }))
  expect(findNextUndecided(rows, 1)).toBe(rows[3])
  expect(findNextUndecided(rows, 3)).toBe(rows[0])
  expect(findNextUndecided(rows.slice(1, 3), 0)).toBeUndefined()
})
