// Recent additions and pending work, loaded once for all cards that show them.
import { call } from '../../api/call'
import type { OverviewRecent } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'

export const DAYS = 30

/** Returns the starts of the last days in the user's time zone, today last. */
export function listLastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - at))
    return day.toISOString().replace(/\.\d{3}Z$/, 'Z')
  })
}

/** Returns the sum over the last days. */
export const sumLastDays = (days: readonly number[], count: number): number =>
  days.slice(-count).reduce((sum, day) => sum + day, 0)

export class RecentActivity {
  value = $state.raw<OverviewRecent>()

  // If a card of the overview cannot be loaded, it stays unchanged; the screen that it links to shows the error.
  readonly load = coalesce(async () => {
    const days = listLastDays(new Date(), DAYS)
    this.value = await call('overview_recent', { days }).catch(() => this.value)
  })
}
