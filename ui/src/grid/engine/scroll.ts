// Where the view stands: always on whole rows. Only the thumb of the scrollbar is scaled, so that engines with a cap
// on the height of elements still reach the last of many million rows.

export const HEIGHT_CAP = 8_000_000

export class Scroll {
  total = 0
  rowHeight = 32
  viewHeight = 0
  /** The first row in view. */
  first = 0
  /** Pixels of the wheel or of a finger that are not a row yet. */
  #rest = 0

  /** Rows that are wholly in view. */
  get page(): number {
    return Math.max(1, Math.floor(this.viewHeight / this.rowHeight))
  }

  /** Rows in view, the last perhaps cut. */
  get slots(): number {
    return Math.max(1, Math.ceil(this.viewHeight / this.rowHeight))
  }

  get lastFirst(): number {
    return Math.max(0, this.total - this.page)
  }

  /** The height of what the scrollbar scrolls. */
  get height(): number {
    return Math.min(this.total * this.rowHeight, HEIGHT_CAP)
  }

  /** Where the thumb belongs, as a scroll position. */
  get thumb(): number {
    return this.lastFirst === 0
      ? 0
      : (this.first / this.lastFirst) * Math.max(0, this.height - this.viewHeight)
  }

  /** The thumb was moved by hand. */
  thumbAt(position: number): boolean {
    const way = this.height - this.viewHeight
    this.#rest = 0
    return this.to(way <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, position / way)) * this.lastFirst))
  }

  /** Answers whether the view stands elsewhere now. */
  to(first: number): boolean {
    const next = Math.max(0, Math.min(Math.round(first), this.lastFirst))
    if (next === this.first) return false
    this.first = next
    return true
  }

  /** The wheel or a finger, in pixels; what is less than a row is kept for the next time. */
  by(pixels: number): boolean {
    this.#rest += pixels
    const rows = Math.trunc(this.#rest / this.rowHeight)
    this.#rest -= rows * this.rowHeight
    if (rows === 0) return false
    const moved = this.to(this.first + rows)
    if (!moved) this.#rest = 0
    return moved
  }

  /** Moves as little as needed for a row to be wholly in view. */
  reveal(row: number): boolean {
    if (row < this.first) return this.to(row)
    if (row >= this.first + this.page) return this.to(row - this.page + 1)
    return false
  }

  fit(total: number, rowHeight: number, viewHeight: number): boolean {
    this.total = total
    this.rowHeight = Math.max(1, rowHeight)
    this.viewHeight = viewHeight
    return this.to(this.first)
  }
}

/** A wheel event in pixels, whatever unit it counts in. */
export function wheelPixels(delta: number, mode: number, line: number, page: number): number {
  return mode === 1 ? delta * line : mode === 2 ? delta * page : delta
}
