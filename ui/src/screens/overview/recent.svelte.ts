// What came in lately and what waits: asked once for all cards that show it.
import { call } from '../../api/call'
import type { OverviewRecent } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'

export const DAYS = 30

/** When the last days began where the person is, today last. */
export function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - at))
    return day.toISOString().replace(/\.\d{3}Z$/, 'Z')
  })
}

/** What was counted on the last of some days. */
export const ofLast = (days: readonly number[], count: number): number =>
  days.slice(-count).reduce((sum, day) => sum + day, 0)

export class Recent {
  value = $state.raw<OverviewRecent>()

  // A home card that cannot be read stays as it was: the screen behind its link tells why.
  readonly load = coalesce(async () => {
    const days = lastDays(new Date(), DAYS)
    this.value = await call('overview_recent', { days }).catch(() => this.value)
  })
}
