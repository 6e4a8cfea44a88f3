// Chooses how the status and the duration of a journal entry are shown.
import { formatNumber, formatTenths } from '../../../lib/format'

/** Returns the look of a status. Null means that no response came. */
export function chooseStatusLook(status: number | null): 'good' | 'plain' | 'warm' | 'bad' {
  if (status === null || status >= 500) return 'bad'
  if (status >= 400) return 'warm'
  return status >= 300 ? 'plain' : 'good'
}

/** Formats microseconds as milliseconds without the unit, with one decimal below 10 ms. */
export function formatMilliseconds(micros: number): string {
  const ms = micros / 1000
  return ms >= 10 ? formatNumber(Math.round(ms)) : formatTenths(ms)
}
