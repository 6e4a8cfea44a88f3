// The counts as a file for spreadsheets: a row for each channel, and one for each of our own numbers on it.
import type { ListReadiness, ReadinessCounts } from '../../../api/generated'
import { m } from '../../../gen/words'
import { getChannel, STATUSES } from './group'
import { CHANNEL_TITLES, STATUS_TITLES } from './words'

const quoteCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export function writeCountsFile({ contacts, channels }: ListReadiness): string {
  const heads = [
    m.readiness_file_channel(),
    m.readiness_our_number(),
    m.readiness_count(),
    ...STATUSES.map((status) => STATUS_TITLES[status]()),
  ]
  const rows = channels.flatMap((channel) => {
    const row = (number: string, counts: ReadinessCounts): string[] => [
      CHANNEL_TITLES[getChannel(channel)](),
      number,
      String(contacts),
      ...STATUSES.map((status) => String(counts[status])),
    ]
    return [
      row(m.readiness_file_all(), channel.counts),
      ...channel.assets.map(({ number, counts }) => row(number, counts)),
    ]
  })
  return [heads, ...rows].map((cells) => `${cells.map(quoteCell).join(',')}\r\n`).join('')
}
