// Numbers and times in the reader's own language.

const numbers = new Intl.NumberFormat()
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** A time of the core, which may be finer than a Date; an unreadable one is shown as it is. */
export function formatMoment(iso: string): string {
  const time = Date.parse(iso.replace(/(\.\d{3})\d+/, '$1'))
  return Number.isNaN(time) ? iso : moments.format(time)
}

export function plural(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
