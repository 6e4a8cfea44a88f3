// The size of a file in words.
import { m } from '../../gen/words'
import { formatNumber } from '../../lib/format'

const UNITS = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const

/** Formats a size: “1.2 MB”. */
export function formatSize(bytes: number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ['B', 1]
  const value = bytes / size
  return m.import_size({ value: formatNumber(Number(value.toFixed(value < 10 && size > 1 ? 1 : 0))), unit })
}
