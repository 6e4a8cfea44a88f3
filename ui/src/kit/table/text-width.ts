// Widths of columns, in the language and the font of this page.
import { formatMoment } from '../../lib/format'

/** The padding on both sides of a cell, and a little for rounding. */
const ROOM = 28
/** The arrow of a sorted column, and the space before it. */
const ARROW = 18
const TITLE_FONT = '550 13.6px'
/** Used where nothing can be measured. */
const USUAL = 190
/** A wide time of each month, before and after noon. */
const MOMENTS = Array.from({ length: 24 }, (_, at) =>
  new Date(2026, at % 12, 28, at < 12 ? 22 : 10, 58).toISOString(),
)

const known = new Map<string, number>()

/** Returns the width in pixels at 100 %. */
export function measureMomentWidth(): number {
  const texts = MOMENTS.map(formatMoment)
  return measure(texts, '15px') ?? USUAL
}

/** Returns the width in pixels at 100 % at which the title of a column is shown as a whole. */
export function measureTitleWidth(title: string, isSortable: boolean): number {
  return (measure([title], TITLE_FONT) ?? 0) + (isSortable ? ARROW : 0)
}

/** Returns the width in pixels at 100 % at which no word of a title is cut. */
export function measureWordWidth(title: string): number {
  return measure(title.split(/\s+|(?<=-)/u), TITLE_FONT) ?? 0
}

function measure(texts: readonly string[], font: string): number | undefined {
  const family = getComputedStyle(document.body).fontFamily
  const key = `${font} ${family} ${texts.join()}`
  const old = known.get(key)
  if (old !== undefined) return old
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return undefined
  context.font = `${font} ${family}`
  const width = ROOM + Math.ceil(Math.max(...texts.map((text) => context.measureText(text).width)))
  known.set(key, width)
  return width
}
