// Converts the figures of clicks to bars and shares.
import { language } from '../../../lib/locale.svelte'

export const DAYS = [7, 30, 90, 365] as const

/** Returns the number of days among those offered that is closest to the stored one. */
export function toOfferedDays(kept: number): number {
  return DAYS.find((days) => days >= kept) ?? 365
}

interface ClicksBar {
  label: string
  value: number
}
/** A year of days does not fit side by side; weeks do. */
const MOST_BARS = 92
const WEEK = 7

export function toBars(days: readonly { day: string; clicks: number }[]): ClicksBar[] {
  const short = new Intl.DateTimeFormat(language.tag, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const label = (day: string): string => short.format(new Date(`${day}T00:00:00Z`))
  if (days.length <= MOST_BARS) return days.map(({ day, clicks }) => ({ label: label(day), value: clicks }))
  const bars: ClicksBar[] = []
  // Count from the newest day back, so that only the oldest week may be incomplete.
  for (let end = days.length; end > 0; end -= WEEK) {
    const week = days.slice(Math.max(0, end - WEEK), end)
    const [first] = week
    const last = week.at(-1)
    if (first === undefined || last === undefined) continue
    bars.unshift({
      label: `${label(first.day)} – ${label(last.day)}`,
      value: week.reduce((sum, { clicks }) => sum + clicks, 0),
    })
  }
  return bars
}

export interface ShareOfClicks {
  name: string | null
  clicks: number
}

/** Returns the largest parts, and the sum of the rest. */
export function findLargest(
  parts: readonly ShareOfClicks[],
  most: number,
): { shown: ShareOfClicks[]; rest: ShareOfClicks[] } {
  const sorted = parts.toSorted((a, b) => b.clicks - a.clicks)
  // Showing one more line takes no more room than saying that one is left out.
  return sorted.length <= most + 1
    ? { shown: sorted, rest: [] }
    : { shown: sorted.slice(0, most), rest: sorted.slice(most) }
}
