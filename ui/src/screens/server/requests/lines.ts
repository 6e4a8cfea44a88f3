// Formats entries of the journal.
import { formatNumber, formatTenths } from '../../../lib/format'

export function chooseLook(status: number | null): 'good' | 'plain' | 'warm' | 'bad' {
  if (status === null || status >= 500) return 'bad'
  if (status >= 400) return 'warm'
  return status >= 300 ? 'plain' : 'good'
}

/** Formats microseconds as milliseconds, with more digits if they are few. */
export function formatDuration(micros: number): string {
  const ms = micros / 1000
  return ms >= 10 ? formatNumber(Math.round(ms)) : formatTenths(ms)
}
