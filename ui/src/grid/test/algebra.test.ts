// Sets of rows and the selection, compared with the simplest possible model: one flag for each cell.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Intervals, type Interval } from '../engine/intervals'
import { Selection } from '../engine/selection'

const SIZE = 40
const pairs = fc.array(
  fc.tuple(fc.nat(SIZE), fc.nat(SIZE)).map(([a, b]): Interval => [Math.min(a, b), Math.max(a, b)]),
  { maxLength: 8 },
)
const bits = (given: readonly Interval[]): boolean[] =>
  Array.from({ length: SIZE }, (_, row) => given.some(([from, to]) => row >= from && row < to))
const asBits = (set: Intervals): boolean[] => Array.from({ length: SIZE }, (_, row) => set.contains(row))

function isSound({ flat }: Intervals): boolean {
  return flat.length % 2 === 0 && flat.every((at, i) => i === 0 || at > (flat[i - 1] ?? 0))
}

describe('intervals', () => {
  it('hold exactly the rows they are made of', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const set = Intervals.of(given)
        expect(isSound(set)).toBe(true)
        expect(asBits(set)).toEqual(bits(given))
        expect(set.size).toBe(bits(given).filter(Boolean).length)
        expect([...set.rows()]).toEqual(bits(given).flatMap((is, row) => (is ? [row] : [])))
        expect(Intervals.of(set.pairs).equals(set)).toBe(true)
      }),
    )
  })

  it('agree with flags on union, intersection, difference, complement and cut', () => {
    fc.assert(
      fc.property(pairs, pairs, fc.nat(SIZE), (a, b, total) => {
        const [one, other] = [Intervals.of(a), Intervals.of(b)]
        const [x, y] = [bits(a), bits(b)]
        const cases: [Intervals, boolean[]][] = [
          [one.union(other), x.map((is, i) => is || y[i] === true)],
          [one.intersect(other), x.map((is, i) => is && y[i] === true)],
          [one.subtract(other), x.map((is, i) => is && y[i] !== true)],
          [one.complement(SIZE), x.map((is) => !is)],
          [one.cut(total), x.map((is, i) => is && i < total)],
        ]
        for (const [set, wanted] of cases) {
          expect(isSound(set)).toBe(true)
          expect(asBits(set)).toEqual(wanted)
        }
        expect(one.equals(other)).toBe(x.every((is, i) => is === y[i]))
      }),
    )
  })

  it('of a million rows except three are four pairs', () => {
    const all = Intervals.range(0, 1_000_000).subtract(
      Intervals.of([
        [5, 6],
        [700_000, 700_001],
        [999_998, 999_999],
      ]),
    )
    expect(all.pairs).toHaveLength(4)
    expect(all.size).toBe(999_997)
  })
})

const ROWS = 12
const COLUMNS = ['a', 'b', 'c', 'd', 'e']
const spot = fc.record({ row: fc.nat(ROWS - 1), column: fc.nat(COLUMNS.length - 1) })
const span = fc.constantFrom('cells' as const, 'rows' as const, 'columns' as const)
const act = fc.oneof(
  fc.record({ does: fc.constantFrom('only' as const, 'add' as const, 'extend' as const), spot, span }),
  fc.record({ does: fc.constant('all' as const), spot, span }),
)

/** Computes the flags after the same acts, following the design literally. */
class Model {
  base = new Set<string>()
  now = new Set<string>()
  removes = false
  anchor = { row: 0, column: 0 }
  all = false

  chosen(): Set<string> {
    const { base, now, removes } = this
    return removes ? new Set([...base].filter((cell) => !now.has(cell))) : new Set([...base, ...now])
  }

  range(a: { row: number; column: number }, b: { row: number; column: number }, kind: string): Set<string> {
    const cells = new Set<string>()
    for (let row = 0; row < ROWS; row += 1)
      for (let column = 0; column < COLUMNS.length; column += 1) {
        const inRows = row >= Math.min(a.row, b.row) && row <= Math.max(a.row, b.row)
        const inColumns = column >= Math.min(a.column, b.column) && column <= Math.max(a.column, b.column)
        if (
          (inRows || kind === 'columns' || kind === 'all') &&
          (inColumns || kind === 'rows' || kind === 'all')
        )
          cells.add(`${row} ${column}`)
      }
    return cells
  }
}

describe('a selection', () => {
  it('agrees with a flag for every cell after any acts', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const selection = new Selection()
        selection.fit({ total: ROWS, columns: COLUMNS })
        const model = new Model()
        model.now = model.range(model.anchor, model.anchor, 'cells')
        for (const { does, spot: at, span: kind } of acts) {
          if (does === 'only') {
            selection.only(at, kind)
            Object.assign(model, {
              base: new Set(),
              removes: false,
              anchor: at,
              now: model.range(at, at, kind),
            })
          } else if (does === 'extend') {
            selection.extend(at, kind)
            model.now = model.range(model.anchor, at, kind)
          } else if (does === 'add') {
            const fresh = model.range(at, at, kind)
            const before = model.chosen()
            const removes = [...fresh].every((cell) => before.has(cell))
            selection.add(at, kind)
            Object.assign(model, { base: before, removes, anchor: at, now: fresh })
          } else {
            selection.selectAll()
            const everything = model.range(at, at, 'all')
            Object.assign(model, {
              base: new Set(),
              removes: false,
              now: everything,
              anchor: selection.anchor,
            })
          }
          const wanted = model.chosen()
          for (let row = 0; row < ROWS; row += 1)
            for (let column = 0; column < COLUMNS.length; column += 1)
              expect(selection.contains(row, column)).toBe(wanted.has(`${row} ${column}`))
          expect(selection.size).toBe(wanted.size)
          const grouped = new Set(
            selection
              .groups()
              .flatMap(({ rows, columns }) =>
                columns.flatMap((id) => [...rows.rows()].map((row) => `${row} ${COLUMNS.indexOf(id)}`)),
              ),
          )
          expect(grouped).toEqual(wanted)
        }
      }),
    )
  })

  it('of everything except a few rows is stored compactly', () => {
    const selection = new Selection()
    selection.fit({ total: 1_000_000, columns: COLUMNS })
    selection.selectAll()
    selection.add({ row: 41, column: 0 }, 'rows')
    selection.add({ row: 999_999, column: 0 }, 'rows')
    expect(selection.groups()).toHaveLength(1)
    expect(selection.groups()[0]?.rows.pairs).toEqual([
      [0, 41],
      [42, 999_999],
    ])
  })

  it('forgets what is no longer there', () => {
    const selection = new Selection()
    selection.fit({ total: 10, columns: COLUMNS })
    selection.only({ row: 8, column: 4 })
    selection.add({ row: 2, column: 1 })
    selection.fit({ total: 5, columns: ['a', 'b'] })
    expect(selection.groups()).toEqual([{ rows: Intervals.range(2, 3), columns: ['b'] }])
  })
})
