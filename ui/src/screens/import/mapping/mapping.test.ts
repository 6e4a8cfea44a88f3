// Mappings: columns that are assigned to fields, composed and split, as the core does it.
import { describe, expect, it } from 'vitest'
import type { ImportColumn } from '../../../api/generated'
import type { Mapping } from '../session/types'
import { isSplit, splitColumn } from './split-column'
import {
  assignColumn,
  assignNewField,
  createColumnPiece,
  isComposed,
  leaveColumnsOut,
  createTarget,
  findOpenFields,
  getPart,
  parseTargetPath,
  countUsedColumns,
  findUses,
  keepOtherValues,
  composeValue,
  putConsent,
  confirmFields,
  removeColumn,
  putTarget,
} from './mapping'

const NOTHING: Mapping = {
  targets: [],
  region: null,
  rule: 'if_blank',
  match_by: 'phone',
  twice: 'first',
  opted_out: 'take',
  consents: [],
  date_order: null,
  left_out: [],
  named: [],
  labels: [],
  opted_out_lists: [],
  ordinary_lists: [],
}

describe('columns and fields', () => {
  it('puts a column into a field, and takes it out of the one before', () => {
    const first = assignColumn(NOTHING, 0, 'phone_number')
    expect(first.targets.map(({ field }) => field)).toEqual(['phone_number'])
    const second = assignColumn(first, 0, 'city')
    expect(second.targets.map(({ field }) => field)).toEqual(['city'])
    expect(findUses(second, 0)).toEqual([{ target: 0, piece: 0, part: null }])
    expect(removeColumn(second, 0).targets).toEqual([])
  })

  it('leaves a column out by name until it is used again', () => {
    const left = leaveColumnsOut(assignColumn(NOTHING, 0, 'city'), [0, 1, 2])
    expect(left.left_out).toEqual([1, 2])
    expect(leaveColumnsOut(assignColumn(left, 2, 'zip'), []).left_out).toEqual([1])
  })

  it('asks about fields that say who opted out, until somebody says what they are', () => {
    const columns = [0, 1, 2].map((column) => ({ column, has_opt_outs: column !== 2 }) as ImportColumn)
    const both = assignColumn(assignColumn(assignColumn(NOTHING, 0, 'phone_number'), 1, 'city'), 2, 'zip')
    expect(findOpenFields(both, columns)).toEqual([0, 1])
    expect(findOpenFields(confirmFields(both, [1]), columns)).toEqual([0])
    const consent = {
      pieces: [createColumnPiece(0)],
      between: ' ',
      words: ['stop'],
      keeps: [],
      channels: ['SMS' as const],
    }
    const city = putConsent(both, 1, { ...consent, pieces: [createColumnPiece(1)] })
    expect([findOpenFields(city, columns), findUses(city, 1).length]).toEqual([[0], 1])
  })

  it('takes every other value of an opt-out column for an ordinary one, once', () => {
    const consent = { pieces: [createColumnPiece(1)], between: ' ', words: ['yes'], keeps: [], channels: [] }
    const both = putConsent(putConsent(NOTHING, 1, consent), 2, {
      ...consent,
      pieces: [createColumnPiece(2)],
    })
    const kept = keepOtherValues(both, [1])
    expect(kept.consents.map(({ keeps }) => keeps)).toEqual([['*'], []])
    expect(keepOtherValues(kept, [1])).toBe(kept)
  })

  it('puts two columns of one field together', () => {
    const both = assignColumn(assignColumn(NOTHING, 1, 'address_1'), 2, 'address_1')
    const [target] = both.targets
    expect(target && isComposed(target)).toBe(true)
    expect(target && composeValue(target, ['', ' 1 Long Street', 'Flat 2 '])).toBe('1 Long Street Flat 2')
    expect(target && composeValue(target, ['', '', 'Flat 2'])).toBe('Flat 2')
    expect(removeColumn(both, 1).targets[0]?.pieces).toEqual([createColumnPiece(2)])
  })

  it('tries several telephones one after the other', () => {
    const [target] = assignColumn(assignColumn(NOTHING, 1, 'phone_number'), 0, 'phone_number').targets
    expect(target?.pick).toBe('first')
    expect(target && composeValue(target, ['07700900002', ' 07700900001'])).toBe('07700900001')
    expect(target && composeValue(target, ['07700900002', ''])).toBe('07700900002')
  })

  it('keeps values that no column has when columns go', () => {
    const constant = putTarget(NOTHING, undefined, createTarget('country', [{ constant: { text: 'UK' } }]))
    const made = assignColumn(constant, 0, 'city')
    expect(removeColumn(made, 0).targets.map(({ field }) => field)).toEqual(['country'])
    const mixed = putTarget(
      NOTHING,
      undefined,
      createTarget('zip', [{ constant: { text: 'x' } }, createColumnPiece(0)]),
    )
    expect(removeColumn(mixed, 0).targets[0]?.pieces).toEqual([{ constant: { text: 'x' } }])
  })

  it('makes new fields, and counts the columns that go somewhere', () => {
    const made = assignNewField(assignColumn(NOTHING, 0, 'phone_number'), 2, 'Shoe size')
    expect(made.targets[1]).toMatchObject({ field: '', new_field: 'Shoe size' })
    expect(countUsedColumns(made, 4)).toBe(2)
  })
})

describe('parts of a cell', () => {
  const part = (separator: string, number: number, and_rest: boolean) => ({ separator, number, and_rest })

  it('cuts from either end, as the core does', () => {
    const name = 'Ada King Lovelace'
    expect(getPart(name, part(' ', 1, false))).toBe('Ada')
    expect(getPart(name, part(' ', 2, true))).toBe('King Lovelace')
    expect(getPart(name, part(' ', -1, false))).toBe('Lovelace')
    expect(getPart(name, part(' ', 4, false))).toBe('')
    expect(getPart(name, part(' ', -4, false))).toBe('')
    expect(getPart('a, b,c', part(',', 2, true))).toBe('b,c')
  })

  it('has the title of a whole name, which stays when the name is split again', () => {
    expect(getPart('Dr. Ada King Lovelace', part(' ', 0, false))).toBe('Dr.')
    const piece = (number: number, rest: boolean) => [createColumnPiece(0, part(' ', number, rest))]
    const targets = [
      createTarget('title', piece(0, false)),
      createTarget('firstname', piece(1, false)),
      createTarget('lastname', piece(2, true)),
    ]
    const named = { ...NOTHING, targets }
    expect(isSplit(named, 0)).toBe(true)
    expect(splitColumn(named, 0, ' ', ['firstname', 'lastname']).targets).toEqual(targets)
    const other = splitColumn(named, 0, ' ', ['title', 'lastname'])
    expect(other.targets.map(({ field }) => field)).toEqual(['title', 'lastname'])
  })

  it('takes the mark off that keeps a cell from being a formula', () => {
    expect(composeValue(createTarget('phone_number', [createColumnPiece(0)]), ["'+447700900001"])).toBe(
      '+447700900001',
    )
    expect(composeValue(createTarget('city', [createColumnPiece(0)]), ["'s Gravenhage"])).toBe(
      "'s Gravenhage",
    )
  })

  it('finds the target that a fault is about', () => {
    expect(parseTargetPath('targets[12].pieces[0]')).toBe(12)
    expect(parseTargetPath('match_by')).toBeUndefined()
  })
})
