// Scrolls rows and columns while the pointer is held beyond them; the further away, the faster.
import type { GridFrame } from './frame'

/** This close to the edge counts as outside, for a grid that begins at the edge of the screen. */
const EDGE = 4
const PUSH = 20

export interface PagePoint {
  readonly x: number
  readonly y: number
}

export class Drift {
  readonly #frame: GridFrame
  /** Called after each step, so that the drag can follow. */
  readonly #moved: () => void
  #point: PagePoint | undefined
  #isVertical = true
  #isHorizontal = true
  #frameRequest = 0

  constructor(frame: GridFrame, moved: () => void) {
    this.#frame = frame
    this.#moved = moved
  }

  /** Takes the pointer's position and the directions in which rows or columns may scroll. */
  follow(point: PagePoint, { down = true, across = true } = {}): void {
    this.#point = point
    this.#isVertical = down
    this.#isHorizontal = across
    if (this.#frameRequest === 0) this.#frameRequest = requestAnimationFrame(() => this.#step())
  }

  stop(): void {
    this.#point = undefined
    cancelAnimationFrame(this.#frameRequest)
    this.#frameRequest = 0
  }

  #step(): void {
    this.#frameRequest = 0
    if (this.#point === undefined) return
    const { body, engine, rtl } = this.#frame
    const { left, right, top, bottom, width } = body.getBoundingClientRect()
    const { x, y } = this.#point
    const from = rtl ? right - x : x - left
    const across = from < EDGE ? from - EDGE - PUSH : Math.max(0, from - width)
    const down = y < top ? y - top : Math.max(0, y - bottom)
    const sideways = this.#isHorizontal ? getSpeed(across) : 0
    const onwards = this.#isVertical ? getSpeed(down) : 0
    if (sideways === 0 && onwards === 0) return
    engine.scrollBy(sideways, onwards)
    this.#moved()
    this.#frameRequest = requestAnimationFrame(() => this.#step())
  }
}

/** Returns pixels a frame: about a row near the edge, many further out. */
function getSpeed(away: number): number {
  return away * (0.5 + Math.abs(away) / 100)
}
