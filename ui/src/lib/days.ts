// Days as a date field has them, their first and last moments for the core, and days read from text.

/** Returns the first moment of a day in the user's time zone; null for an empty day. */
export function startOfDay(day: string): string | null {
  return toMoment(day, 'T00:00:00')
}

/** Returns the last moment of a day in the user's time zone; null for an empty day. */
export function endOfDay(day: string): string | null {
  return toMoment(day, 'T23:59:59.999')
}

function toMoment(day: string, time: string): string | null {
  const at = new Date(day + time)
  return day === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}

const WRITTEN =
  /^(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?:[ T]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:[ap]m)?(?:z|[+-]\d{1,2}(?::?\d{2})?)?)?$/i

/** Reads a day from text, as year, month and day, by the same rules as the core. Returns undefined if there is none
 *  or if it is ambiguous. */
export function readDay(text: string): string | undefined {
  const [, a = '', between, b = '', c = ''] = WRITTEN.exec(text.trim()) ?? []
  if (a.length === 4) return c.length <= 2 ? dayOf(a, b, c) : undefined
  if (a.length > 2 || c.length !== 4) return undefined
  const [dayFirst, monthFirst] = [dayOf(c, b, a), dayOf(c, a, b)]
  if (dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst)
    return dayFirst ?? monthFirst
  // Only languages that put the day first write dates with full stops.
  return between === '.' ? dayFirst : undefined
}

function dayOf(year: string, month: string, day: string): string | undefined {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${iso}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== iso ? undefined : iso
}
