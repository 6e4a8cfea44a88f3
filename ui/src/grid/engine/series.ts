// Continues a series of values, as the fill handle does: numbers, dates and texts that end in a number.

/** The pattern of the values. Numbers are integers times a power of ten, so that nothing is rounded. */
interface SeriesPattern {
  readonly prefix: string
  readonly suffix: string
  readonly start: bigint
  readonly step: bigint
  readonly decimals: number
  readonly pad: number
  readonly hasSign: boolean
}

const NUMBERED = /^(.*?)([+-]?)(\d+)(?:\.(\d+))?(\D*)$/su
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const DAY_MS = 86_400_000

/** Returns the next `count` values after (or before) the given ones; repeats them if they have no pattern. */
export function extendSeries(values: readonly string[], count: number, back = false): string[] {
  const given = back ? values.toReversed() : values
  const next = followers(given)
  const added = Array.from({ length: count }, (_, at) => next(at))
  return back ? added.toReversed() : added
}

/** Returns the pattern as the core's number series takes it, if the values are one. */
export function toNumberSeries(
  values: readonly string[],
): { start: string; step: string; prefix: string; pad: number } | undefined {
  const run = runOf(values)
  if (run === undefined || run.decimals > 0 || run.suffix !== '' || run.hasSign) return undefined
  return { start: String(run.start), step: String(run.step), prefix: run.prefix, pad: run.pad }
}

function followers(values: readonly string[]): (at: number) => string {
  const days = daysOf(values)
  if (days !== undefined) return (at) => dayText(days.last + days.step * (at + 1))
  const run = runOf(values)
  if (run !== undefined) return (at) => writeNumber(run, run.start + run.step * BigInt(values.length + at))
  return (at) => values[at % values.length] ?? ''
}

function runOf(values: readonly string[]): SeriesPattern | undefined {
  const parts = values.map((value) => NUMBERED.exec(value))
  const [first] = parts
  if (first === null || first === undefined) return undefined
  const decimals = Math.max(...parts.map((part) => part?.[4]?.length ?? 0))
  const numbers: bigint[] = []
  for (const part of parts) {
    if (part === null || part[1] !== first[1] || part[5] !== first[5]) return undefined
    const digits = `${part[3] ?? ''}${(part[4] ?? '').padEnd(decimals, '0')}`
    // A minus that follows other text is a dash: “A-1” counts up.
    const isNegative = part[2] === '-' && part[1] === ''
    numbers.push(isNegative ? -BigInt(digits) : BigInt(digits))
  }
  const start = numbers[0] ?? 0n
  const step = numbers.length > 1 ? (numbers[1] ?? 0n) - start : 10n ** BigInt(decimals)
  if (numbers.some((number, at) => number !== start + step * BigInt(at))) return undefined
  const dash = first[2] === '-' && first[1] !== '' ? '-' : ''
  const hasSign = first[2] === '+'
  const whole = first[3] ?? ''
  const pad = whole.length > 1 && whole.startsWith('0') ? whole.length : 0
  return { prefix: `${first[1] ?? ''}${dash}`, suffix: first[5] ?? '', start, step, decimals, pad, hasSign }
}

function writeNumber({ prefix, suffix, decimals, pad, hasSign }: SeriesPattern, value: bigint): string {
  const isNegative = value < 0n
  const digits = String(isNegative ? -value : value).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).padStart(pad, '0')
  const fraction = decimals === 0 ? '' : `.${digits.slice(digits.length - decimals)}`
  return `${prefix}${isNegative ? '-' : hasSign ? '+' : ''}${whole}${fraction}${suffix}`
}

function daysOf(values: readonly string[]): { last: number; step: number } | undefined {
  const days = values.map((value) =>
    DAY.test(value) ? Date.parse(`${value}T00:00:00Z`) / DAY_MS : Number.NaN,
  )
  const first = days[0] ?? Number.NaN
  const step = days.length > 1 ? (days[1] ?? Number.NaN) - first : 1
  if (Number.isNaN(step) || days.some((day, at) => day !== first + step * at)) return undefined
  return { last: days.at(-1) ?? first, step }
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
