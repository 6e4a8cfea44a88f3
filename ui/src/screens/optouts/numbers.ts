// Pasted numbers, separated by line ends, commas or semicolons, and the core's errors about some of them.
import { m } from '../../gen/words'
import { formatNumber } from '../../lib/format'

export interface PastedLine {
  /** The line number, from 1. */
  line: number
  text: string
}

/** A text with fewer digits cannot be a phone number. */
const LEAST_DIGITS = 4
const MOST_DIGITS = 15
/** A text with so many digits on both sides of a slash is two numbers. */
const WHOLE_DIGITS = 7

const digitsIn = (text: string): number => text.replaceAll(/\D/gu, '').length

/** Splits a text at line breaks, commas, semicolons, tabs and slashes between two numbers; returns each piece with its
line. */
export function splitLines(text: string): PastedLine[] {
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

/** Counts the numbers, and the texts that are not numbers: “5 numbers”. */
export function describeCounts(lines: readonly PastedLine[]): string {
  const count = lines.filter(({ text }) => digitsIn(text) >= LEAST_DIGITS).length
  const rest = lines.length - count
  const numbers = m.optouts_numbers_count({ n: count, count: formatNumber(count) })
  return rest === 0 ? numbers : m.optouts_numbers_other({ numbers, n: rest, count: formatNumber(rest) })
}

/** Explains why a text is not a number that can be looked up. */
export function explainInvalid(given: string, isAbroad: boolean): string {
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

/** Converts errors at `entries[3].number` to sentences that name the line: the first few, and what to do. */
export function describeFaults(
  faults: readonly { path: string; message: string }[],
  lines: readonly PastedLine[],
): string | undefined {
  let unread = 0
  const sentences = faults.flatMap(({ path, message }) => {
    const [, at, part] = /^entries\[(\d+)\]\.(\w+)/.exec(path) ?? []
    const found = at === undefined ? undefined : lines[Number(at)]
    if (found === undefined) return []
    const line = formatNumber(found.line)
    if (part !== 'number') return [m.optouts_numbers_line({ line, message })]
    unread += 1
    return [m.optouts_numbers_unread({ line, given: found.text.slice(0, SHOWN_OF_LINE) })]
  })
  if (sentences.length === 0) return undefined
  const rest = sentences.length - SHOWN
  const more = rest > 0 ? [m.optouts_numbers_more({ count: formatNumber(rest) })] : []
  const advice = unread > 0 ? [m.optouts_numbers_advice()] : []
  return [...sentences.slice(0, SHOWN), ...more, ...advice].join(' ')
}

export const REASON_LIMIT = 500

export function findReasonFault(reason: string): string | undefined {
  const length = [...reason.trim()].length
  if (length === 0) return m.optouts_reason_missing()
  return length > REASON_LIMIT ? m.optouts_reason_long({ over: length - REASON_LIMIT }) : undefined
}

/** Parses a typed count with any thousands separators; undefined if it is not a count. */
export function parseCount(text: string): number | undefined {
  const digits = text.replaceAll(/[\s.,'’\u00a0\u202f]/g, '')
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined
}

/** Splits an array into parts of at most `size`, in order. */
export function splitIntoSlices<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
}
