// The rows, columns and start date of the overview's table of recent opt-outs.

export const KINDS = ['keyword', 'web_opt_out', 'account_import', 'api_import'] as const
export const CHANNELS = ['SMS', 'WHATSAPP'] as const

export interface MonthCell {
  kind: (typeof KINDS)[number]
  channel: (typeof CHANNELS)[number]
  count: number
}

const DAYS = 30
const DAY_MS = 86_400_000

/** Returns the time 30 days earlier, without fractions of a second. */
export function toMonthAgo(now: Date): string {
  return new Date(now.getTime() - DAYS * DAY_MS).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
