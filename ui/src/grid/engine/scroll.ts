// The scroll position, always at a whole row. Only the thumb of the scrollbar is scaled, because engines limit the
// height of elements, and the last of many million rows must stay reachable.

export const HEIGHT_CAP = 8_000_000

export class Scroll {
  total = 0
  rowHeight = 32
  viewHeight = 0
  /** The first row in view. */
  first = 0
  /** Pixels of the wheel or of a finger that do not make up a row yet. */
  #pendingPixels = 0

  /** The number of rows that are fully in view. */
  get page(): number {
    return Math.max(1, Math.floor(this.viewHeight / this.rowHeight))
  }

  /** The number of rows in view, including a last one that is cut off. */
  get slots(): number {
    return Math.max(1, Math.ceil(this.viewHeight / this.rowHeight))
  }

  get lastFirst(): number {
    return Math.max(0, this.total - this.page)
  }

  /** The height of the content that the scrollbar scrolls. */
  get height(): number {
    return Math.min(this.total * this.rowHeight, HEIGHT_CAP)
  }

  /** The scroll position at which the thumb belongs. */
  get thumb(): number {
    return this.lastFirst === 0
      ? 0
      : (this.first / this.lastFirst) * Math.max(0, this.height - this.viewHeight)
  }

  /** Follows a thumb that the user moved. */
  dragThumbTo(position: number): boolean {
    const way = this.height - this.viewHeight
    this.#pendingPixels = 0
    return this.to(way <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, position / way)) * this.lastFirst))
  }

  /** Scrolls to a row and returns whether the position changed. */
  to(first: number): boolean {
    const next = Math.max(0, Math.min(Math.round(first), this.lastFirst))
    if (next === this.first) return false
    this.first = next
    return true
  }

  /** Scrolls by pixels of the wheel or a finger. Keeps the part that is less than a row for the next call. */
  scrollByPixels(pixels: number): boolean {
    this.#pendingPixels += pixels
    const rows = Math.trunc(this.#pendingPixels / this.rowHeight)
    this.#pendingPixels -= rows * this.rowHeight
    if (rows === 0) return false
    const moved = this.to(this.first + rows)
    if (!moved) this.#pendingPixels = 0
    return moved
  }

  /** Scrolls as little as needed to bring a row fully into view. */
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

/** Converts a wheel event to pixels, whatever its unit. */
export function toWheelPixels(delta: number, mode: number, line: number, page: number): number {
  return mode === 1 ? delta * line : mode === 2 ? delta * page : delta
}
