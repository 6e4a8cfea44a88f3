// Sets of rows as sorted, disjoint, half-open intervals. A million rows without one row take four numbers.

export type Interval = readonly [from: number, to: number]

export class Intervals {
  static readonly EMPTY = new Intervals([])
  /** Boundaries: from, to, from, to …; strictly increasing. */
  readonly flat: readonly number[]

  private constructor(flat: readonly number[]) {
    this.flat = flat
  }

  static range(from: number, to: number): Intervals {
    return to <= from ? Intervals.EMPTY : new Intervals([from, to])
  }

  /** Accepts pairs in any order, touching or overlapping. */
  static of(pairs: Iterable<Interval>): Intervals {
    const sorted = [...pairs].filter(([from, to]) => from < to).toSorted((a, b) => a[0] - b[0])
    const flat: number[] = []
    for (const [from, to] of sorted) {
      const end = flat.at(-1)
      if (end !== undefined && from <= end) flat[flat.length - 1] = Math.max(end, to)
      else flat.push(from, to)
    }
    return new Intervals(flat)
  }

  /** The number of rows. */
  get size(): number {
    let sum = 0
    for (let i = 0; i < this.flat.length; i += 2) sum += this.#boundaryAt(i + 1) - this.#boundaryAt(i)
    return sum
  }

  get isEmpty(): boolean {
    return this.flat.length === 0
  }

  get first(): number | undefined {
    return this.flat[0]
  }

  /** One past the last row. */
  get end(): number | undefined {
    return this.flat.at(-1)
  }

  get pairs(): Interval[] {
    const pairs: Interval[] = []
    for (let i = 0; i < this.flat.length; i += 2) pairs.push([this.#boundaryAt(i), this.#boundaryAt(i + 1)])
    return pairs
  }

  contains(row: number): boolean {
    // An odd number of boundaries at or before the row means that it is inside.
    let low = 0
    let high = this.flat.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#boundaryAt(middle) <= row) low = middle + 1
      else high = middle
    }
    return low % 2 === 1
  }

  union(other: Intervals): Intervals {
    if (this.isEmpty) return other
    if (other.isEmpty) return this
    return combine(this, other, (a, b) => a || b)
  }

  intersect(other: Intervals): Intervals {
    return combine(this, other, (a, b) => a && b)
  }

  subtract(other: Intervals): Intervals {
    return other.isEmpty ? this : combine(this, other, (a, b) => a && !b)
  }

  /** Returns all of `total` rows except these. */
  complement(total: number): Intervals {
    return Intervals.range(0, total).subtract(this)
  }

  cut(total: number): Intervals {
    return (this.end ?? 0) <= total ? this : this.intersect(Intervals.range(0, total))
  }

  equals(other: Intervals): boolean {
    if (this === other) return true
    return this.flat.length === other.flat.length && this.flat.every((at, i) => at === other.flat[i])
  }

  *rows(): Generator<number> {
    for (const [from, to] of this.pairs) for (let row = from; row < to; row += 1) yield row
  }

  #boundaryAt(index: number): number {
    return this.flat[index] ?? 0
  }

  /** Used only by `combine`. */
  static fromBoundaries(flat: readonly number[]): Intervals {
    return flat.length === 0 ? Intervals.EMPTY : new Intervals(flat)
  }
}

/** Combines two sets in one sweep over the boundaries of both. */
function combine(a: Intervals, b: Intervals, keeps: (inA: boolean, inB: boolean) => boolean): Intervals {
  const flat: number[] = []
  let i = 0
  let j = 0
  let inside = false
  while (i < a.flat.length || j < b.flat.length) {
    const at = Math.min(a.flat[i] ?? Infinity, b.flat[j] ?? Infinity)
    if (a.flat[i] === at) i += 1
    if (b.flat[j] === at) j += 1
    const now = keeps(i % 2 === 1, j % 2 === 1)
    if (now !== inside) flat.push(at)
    inside = now
  }
  return Intervals.fromBoundaries(flat)
}
