// The tree of changes: its order, its counts, its open branches and its arrow keys.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  toBranches,
  countByKind,
  toPlaceId,
  toLines,
  getSentPart,
  toChangePlace,
  findNearestPlace,
  moveByKey,
  type ChangePlace,
} from './tree'
import type { ChangeGroup, ChangeKind, ChangeNoun } from './types'

const list = (id: number, name: string): NonNullable<ChangeGroup['list']> => ({ id, uid: `LST_${id}`, name })
const kinds = (...given: [ChangeKind, number, number][]): ChangeGroup['kinds'] =>
  given.map(([kind, count, held]) => ({ kind, count, held }))

const GROUPS: ChangeGroup[] = [
  { noun: 'short_link', list: null, kinds: kinds(['deleted', 1, 0]) },
  { noun: 'contact', list: list(2, 'Visitors'), kinds: kinds(['deleted', 2, 2], ['new', 3, 0]) },
  { noun: 'contact', list: list(1, 'Newsletter'), kinds: kinds(['changed', 5, 1], ['moved', 0, 0]) },
  { noun: 'list', list: null, kinds: kinds(['new', 1, 1]) },
]
const none = new Map<string, boolean>()

test('lists come first by name, then all other records, without empty groups', () => {
  const branches = toBranches(GROUPS)
  expect(branches.map(({ noun, list: of }) => of?.name ?? noun)).toEqual([
    'Newsletter',
    'Visitors',
    'list',
    'short_link',
  ])
  expect(branches[0]?.kinds.map(({ kind }) => kind)).toEqual(['changed'])
  expect(branches[1]?.kinds.map(({ kind }) => kind)).toEqual(['new', 'deleted'])
  expect(branches[1]).toMatchObject({ count: 5, held: 2 })
})

const group = fc.record({
  noun: fc.constantFrom<ChangeNoun>('contact', 'list', 'opt_out', 'short_link', 'sender'),
  list: fc.option(fc.record({ id: fc.nat(9), uid: fc.string(), name: fc.string() })),
  kinds: fc.array(
    fc
      .tuple(
        fc.constantFrom<ChangeKind>('new', 'changed', 'deleted', 'moved'),
        fc.nat(1_000_000),
        fc.nat(100),
      )
      .map(([kind, count, held]) => ({ kind, count, held: Math.min(held, count) })),
    { maxLength: 4 },
  ),
})

test('whatever the groups, their counts, those of their kinds and those by kind add up to the same', () => {
  fc.assert(
    fc.property(fc.array(group, { maxLength: 12 }), (groups) => {
      const wanted = groups.flatMap((one) => one.kinds).reduce((all, { count }) => all + count, 0)
      const branches = toBranches(groups)
      expect(branches.reduce((all, { count }) => all + count, 0)).toBe(wanted)
      for (const branch of branches)
        expect(branch.kinds.reduce((all, { count }) => all + count, 0)).toBe(branch.count)
      expect(countByKind({ groups }).reduce((all, { count }) => all + count, 0)).toBe(wanted)
    }),
  )
})

describe('lines', () => {
  const branches = toBranches(GROUPS)
  test('a small tree is open, what was closed by hand is not', () => {
    const lines = toLines(branches, undefined, none)
    expect(lines).toHaveLength(4 + 5)
    const closed = toLines(branches, undefined, new Map([[lines[0]?.id ?? '', false]]))
    expect(closed).toHaveLength(4 + 4)
  })
  test('of a large tree only the branch one looks at is open', () => {
    const many = toBranches(
      Array.from({ length: 200 }, (_, at) => ({
        noun: 'contact' as ChangeNoun,
        list: list(at, `List ${at}`),
        kinds: kinds(['new', 1, 0]),
      })),
    )
    const chosen: ChangePlace = { noun: 'contact', list: 7, kind: 'new' }
    expect(toLines(many, chosen, none)).toHaveLength(201)
    expect(new Set(toLines(many, chosen, none).map(({ id }) => id)).size).toBe(201)
  })
  test('arrows go along, in and out', () => {
    const lines = toLines(branches, undefined, none)
    const [first = '', inner = '', second = ''] = lines.map(({ id }) => id)
    expect(moveByKey('ArrowDown', lines, first)).toEqual({ to: inner })
    expect(moveByKey('ArrowUp', lines, first)).toEqual({ to: first })
    expect(moveByKey('ArrowRight', lines, first)).toEqual({ to: inner })
    expect(moveByKey('ArrowLeft', lines, inner)).toEqual({ to: first })
    expect(moveByKey('ArrowRight', lines, inner, true)).toEqual({ to: first })
    expect(moveByKey('ArrowLeft', lines, first)).toEqual({ close: first })
    expect(moveByKey('ArrowRight', toLines(branches, undefined, new Map([[first, false]])), first)).toEqual({
      open: first,
    })
    expect(moveByKey('End', lines, second)).toEqual({ to: lines.at(-1)?.id })
    expect(moveByKey('x', lines, first)).toBeUndefined()
    expect(moveByKey('ArrowDown', lines, 'gone')).toBeUndefined()
  })
})

test('a removed place is replaced by its group, and that by the first one', () => {
  const branches = toBranches(GROUPS)
  const deleted: ChangePlace = { noun: 'contact', list: 2, kind: 'deleted' }
  expect(findNearestPlace(branches, deleted)).toEqual(deleted)
  expect(findNearestPlace(branches, { ...deleted, kind: 'moved' })).toEqual({ ...deleted, kind: null })
  expect(findNearestPlace(branches, { ...deleted, list: 99 })).toEqual({
    noun: 'contact',
    list: 1,
    kind: null,
  })
  expect(findNearestPlace(branches, undefined)).toEqual({ noun: 'contact', list: 1, kind: null })
  expect(findNearestPlace([], deleted)).toBeUndefined()
  expect(new Set(branches.map((branch) => toPlaceId(toChangePlace(branch)))).size).toBe(branches.length)
})

test('all, some or none of it is sent', () => {
  expect(getSentPart({ count: 3, held: 0 })).toBe('all')
  expect(getSentPart({ count: 3, held: 1 })).toBe('some')
  expect(getSentPart({ count: 3, held: 3 })).toBe('none')
})
