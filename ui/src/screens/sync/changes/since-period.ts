// The periods by which changes are filtered; each ends now.

export const SINCE_PERIODS = ['ever', 'hour', 'today', 'week', 'month'] as const
export type SincePeriod = (typeof SINCE_PERIODS)[number]

const HOUR_MS = 3_600_000
const DAYS: Partial<Record<SincePeriod, number>> = { week: 7, month: 30 }

/** Returns the start of a period in the core's form; days start in the user's time zone. */
export function toPeriodStart(since: SincePeriod, now: Date): string | null {
  if (since === 'ever') return null
  if (since === 'hour') return new Date(now.getTime() - HOUR_MS).toISOString()
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - (DAYS[since] ?? 0))
  return day.toISOString()
}
