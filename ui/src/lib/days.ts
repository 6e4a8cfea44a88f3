// Days as a date field has them, the moments that bound them for the core, and days that a text says.

/** The first moment of a day where the person is; null for no day. */
export function startOfDay(day: string): string | null {
  return moment(day, 'T00:00:00')
}

/** The last moment of a day where the person is; null for no day. */
export function endOfDay(day: string): string | null {
  return moment(day, 'T23:59:59.999')
}

function moment(day: string, time: string): string | null {
  const at = new Date(day + time)
  return day === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}

const WRITTEN =
  /^(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?:[ T]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:[ap]m)?(?:z|[+-]\d{1,2}(?::?\d{2})?)?)?$/i

/** The day that a text says, as year, month and day; undefined where it says none, or could mean two, as the core reads it. */
export function readDay(text: string): string | undefined {
  const [, a = '', between, b = '', c = ''] = WRITTEN.exec(text.trim()) ?? []
  if (a.length === 4) return c.length <= 2 ? dayOf(a, b, c) : undefined
  if (a.length > 2 || c.length !== 4) return undefined
  const [dayFirst, monthFirst] = [dayOf(c, b, a), dayOf(c, a, b)]
  if (dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst)
    return dayFirst ?? monthFirst
  // Only languages that put the day first write dates with points.
  return between === '.' ? dayFirst : undefined
}

function dayOf(year: string, month: string, day: string): string | undefined {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${iso}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== iso ? undefined : iso
}
