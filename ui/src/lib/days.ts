// Days as a date field has them, and the moments that bound them for the core.

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
