// The texts for the verdicts on rows.
import type { ImportBucket, RehearsedRow } from '../../../api/generated'
import { m } from '../../../gen/words'
import { formatList, formatNumber } from '../../../lib/format'
import { formatValues } from '../../../parts/contact/values'

export type ShownBucket = ImportBucket | 'all'

/** The order in which buckets are shown. */
export const BUCKETS: readonly ImportBucket[] = [
  'new',
  'changed',
  'same',
  'duplicate_in_file',
  'duplicate_in_list',
  'opted_out',
  'invalid',
  'blank',
]

const TITLES: Record<ShownBucket, () => string> = {
  all: m.rehearsal_all,
  new: m.rehearsal_new,
  changed: m.rehearsal_changed,
  same: m.rehearsal_same,
  duplicate_in_file: m.rehearsal_duplicate_in_file,
  duplicate_in_list: m.rehearsal_duplicate_in_list,
  opted_out: m.rehearsal_opted_out,
  invalid: m.rehearsal_invalid,
  blank: m.rehearsal_blank,
}
const TEXTS: Record<ShownBucket, () => string> = {
  all: m.rehearsal_all_text,
  new: m.rehearsal_new_text,
  changed: m.rehearsal_changed_text,
  same: m.rehearsal_same_text,
  duplicate_in_file: m.rehearsal_duplicate_in_file_text,
  duplicate_in_list: m.rehearsal_duplicate_in_list_text,
  opted_out: m.rehearsal_opted_out_text,
  invalid: m.rehearsal_invalid_text,
  blank: m.rehearsal_blank_text,
}

export const getBucketTitle = (bucket: ShownBucket): string => TITLES[bucket]()
export const describeBucket = (bucket: ShownBucket): string => TEXTS[bucket]()

/** Describes the verdict on a row and its reason. */
export function describeResult(row: RehearsedRow, title: (field: string) => string): string {
  const parts: string[] = []
  switch (row.bucket) {
    case 'invalid':
      parts.push(row.reason?.message ?? m.rehearsal_invalid())
      break
    case 'changed':
      parts.push(formatList(row.changes.map((change) => changeWord(change, title))))
      break
    case 'duplicate_in_file':
      parts.push(
        row.twin === null
          ? m.rehearsal_duplicate_in_file()
          : m.rehearsal_twin({ row: formatNumber(row.twin + 1) }),
      )
      break
    case 'duplicate_in_list':
      parts.push(m.rehearsal_several({ count: row.contacts, shown: formatNumber(row.contacts) }))
      break
    default:
      parts.push(getBucketTitle(row.bucket))
  }
  if (row.is_opted_out && row.bucket !== 'opted_out') parts.push(m.rehearsal_stays_opted_out())
  if (row.consents.length > 0) parts.push(m.rehearsal_opts_out())
  return parts.join(' · ')
}

function changeWord(
  { field, before, after }: RehearsedRow['changes'][number],
  title: (field: string) => string,
): string {
  const [was = '', is = ''] = formatValues(field, [before ?? '', after ?? '']).map(
    (text) => text || m.rehearsal_nothing(),
  )
  return m.rehearsal_change({ field: title(field), before: was, after: is })
}
