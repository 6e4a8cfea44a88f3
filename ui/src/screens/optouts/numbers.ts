// Numbers as they are pasted: one a line, or several with commas or semicolons between them, and what the core found wrong with some of them.
import { m } from '../../gen/words'
import { formatNumber } from '../../lib/format'

export interface Line {
  /** From 1. */
  line: number
  text: string
}

/** Fewer digits are no number of anybody. */
const LEAST_DIGITS = 4
const MOST_DIGITS = 15
/** What has as many on both sides of a stroke is two numbers. */
const WHOLE_DIGITS = 7

const digitsIn = (text: string): number => text.replaceAll(/\D/gu, '').length

/** What is between line breaks, commas, semicolons, tabs and the strokes of two numbers, each with the line it stands in. */
export function linesOf(text: string): Line[] {
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line, at) =>
      line
        .split(/[,;\t]/)
        .flatMap(numbersOf)
        .map((part) => ({ line: at + 1, text: part.trim() })),
    )
    .filter((part) => part.text !== '')
}

function numbersOf(text: string): string[] {
  const parts = text.split('/')
  return parts.every((part) => digitsIn(part) >= WHOLE_DIGITS) ? parts : [text]
}

/** “5 numbers”, and what else stands there. */
export function countWords(lines: readonly Line[]): string {
  const count = lines.filter(({ text }) => digitsIn(text) >= LEAST_DIGITS).length
  const rest = lines.length - count
  const numbers = m.optouts_numbers_count({ n: count, count: formatNumber(count) })
  return rest === 0 ? numbers : m.optouts_numbers_other({ numbers, n: rest, count: formatNumber(rest) })
}

/** Why a text is no number that can be looked up. */
export function invalidWords(given: string, isAbroad: boolean): string {
  const digits = digitsIn(given)
  if (digits === 0) return m.optouts_invalid_none()
  if (/\p{L}/u.test(given)) return m.optouts_invalid_letters()
  if (digits < LEAST_DIGITS) return m.optouts_invalid_short()
  if (digits > MOST_DIGITS) return m.optouts_invalid_long()
  if (/^\s*(\+|00)/.test(given)) return m.optouts_invalid_unknown()
  return isAbroad ? m.optouts_invalid_country() : m.optouts_invalid_no_country()
}

const SHOWN = 3

const SHOWN_OF_LINE = 40

/** Faults at `entries[3].number` as sentences that name the line; the first few, and what to do about them. */
export function faultWords(
  faults: readonly { path: string; message: string }[],
  lines: readonly Line[],
): string | undefined {
  let unread = 0
  const told = faults.flatMap(({ path, message }) => {
    const [, at, part] = /^entries\[(\d+)\]\.(\w+)/.exec(path) ?? []
    const found = at === undefined ? undefined : lines[Number(at)]
    if (found === undefined) return []
    const line = formatNumber(found.line)
    if (part !== 'number') return [m.optouts_numbers_line({ line, message })]
    unread += 1
    return [m.optouts_numbers_unread({ line, given: found.text.slice(0, SHOWN_OF_LINE) })]
  })
  if (told.length === 0) return undefined
  const rest = told.length - SHOWN
  const more = rest > 0 ? [m.optouts_numbers_more({ count: formatNumber(rest) })] : []
  const advice = unread > 0 ? [m.optouts_numbers_advice()] : []
  return [...told.slice(0, SHOWN), ...more, ...advice].join(' ')
}

export const REASON_LIMIT = 500

export function reasonFault(reason: string): string | undefined {
  const length = [...reason.trim()].length
  if (length === 0) return m.optouts_reason_missing()
  return length > REASON_LIMIT ? m.optouts_reason_long({ over: length - REASON_LIMIT }) : undefined
}

/** A typed count, however the reader writes thousands; undefined for what is no count. */
export function countOf(text: string): number | undefined {
  const digits = text.replaceAll(/[\s.,'’\u00a0\u202f]/g, '')
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined
}

/** Parts of at most `size`, in order. */
export function slices<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
}
