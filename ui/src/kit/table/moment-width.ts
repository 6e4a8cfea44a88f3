// The width of a column of times, in the language and the font of this page.
import { formatMoment } from '../../lib/format'

/** The padding on both sides of a cell, and a little for rounding. */
const ROOM = 28
/** Used where nothing can be measured. */
const USUAL = 190
const MONTHS = Array.from({ length: 12 }, (_, month) => new Date(2026, month, 28, 22, 58).toISOString())

const known = new Map<string, number>()

/** Returns the width in pixels at 100 %. */
export function measureMomentWidth(): number {
  const texts = MONTHS.map(formatMoment)
  const family = getComputedStyle(document.body).fontFamily
  const key = `${family} ${texts.join()}`
  const old = known.get(key)
  if (old !== undefined) return old
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return USUAL
  context.font = `15px ${family}`
  const width = ROOM + Math.ceil(Math.max(...texts.map((text) => context.measureText(text).width)))
  known.set(key, width)
  return width
}
