// Days as a person types them, in the order of day, month and year that the language has.

const order = (tag: string): readonly string[] =>
  makeFormat(tag)
    .formatToParts(0)
    .map(({ type }) => type)
    .filter((type) => ['day', 'month', 'year'].includes(type))

function makeFormat(tag: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(tag, {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    numberingSystem: 'latn',
    calendar: 'gregory',
    timeZone: 'UTC',
  })
}

/** Writes a day such as 2026-11-26 for a field; returns other text unchanged. */
export function writeDay(day: string, tag: string): string {
  const at = Date.parse(`${day}T00:00:00Z`)
  // Marks of direction would be in the way of whoever edits the text.
  return Number.isNaN(at)
    ? day
    : makeFormat(tag)
        .format(at)
        .replaceAll(/[\u200e\u200f\u061c]/g, '')
}

/** Reads a day in the order of the language, or with the year first; returns undefined if it is none. */
export function parseDay(text: string, tag: string): string | undefined {
  const latin = text.replaceAll(/[\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x660))
  const groups = latin.match(/\d+/g) ?? []
  if (groups.length !== 3) return undefined
  const names = groups[0]?.length === 4 ? ['year', 'month', 'day'] : order(tag)
  const part = (name: string): string => groups[names.indexOf(name)] ?? ''
  if (part('year').length !== 4) return undefined
  const day = `${part('year')}-${part('month').padStart(2, '0')}-${part('day').padStart(2, '0')}`
  const at = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day) ? undefined : day
}
