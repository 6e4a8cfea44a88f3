// Describes what an import does with each row, and why.
import type { ImportBucket, ImportReason, RehearsedRow } from '../../../api/generated'
import { translateSentence } from '../../../api/sentences'
import { m } from '../../../gen/words'
import { formatList, formatNumber, toCountParams } from '../../../lib/format'
import { formatValues } from '../../../parts/contact/values'

type RowChange = RehearsedRow['changes'][number]
export type ShownBucket = ImportBucket | 'all'

/** The order in which buckets are shown. */
export const BUCKETS: readonly ImportBucket[] = [
  'new',
  'changed',
  'same',
  'kept',
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
  kept: m.rehearsal_kept,
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
  kept: m.rehearsal_kept_text,
  duplicate_in_file: m.rehearsal_duplicate_in_file_text,
  duplicate_in_list: m.rehearsal_duplicate_in_list_text,
  opted_out: m.rehearsal_opted_out_text,
  invalid: m.rehearsal_invalid_text,
  blank: m.rehearsal_blank_text,
}

export const getBucketTitle = (bucket: ShownBucket): string => TITLES[bucket]()
export const describeBucket = (bucket: ShownBucket): string => TEXTS[bucket]()

/** Describes what the import does with a row, and the reason. */
export function describeResult(row: RehearsedRow, title: (field: string) => string): string {
  const parts: string[] = []
  switch (row.bucket) {
    case 'invalid':
      parts.push(row.reason ? translateSentence(row.reason.message) : m.rehearsal_invalid())
      break
    case 'changed':
      parts.push(formatList(row.changes.map((change) => describeChange(change, title))))
      break
    case 'kept':
      parts.push(formatList(row.kept.map((value) => describeKeptValue(value, title))))
      break
    case 'duplicate_in_file':
      parts.push(
        row.twin === null
          ? m.rehearsal_duplicate_in_file()
          : m.rehearsal_twin({ row: formatNumber(row.twin + 1) }),
      )
      break
    case 'duplicate_in_list':
      parts.push(m.rehearsal_several(toCountParams(row.contacts)))
      break
    default:
      parts.push(getBucketTitle(row.bucket))
  }
  const drafts = row.bucket === 'new' ? row.values : row.changes
  for (const { field } of drafts.filter((value) => value.is_draft))
    parts.push(m.rehearsal_draft({ field: title(field) }))
  if (row.is_opted_out && row.bucket !== 'opted_out') parts.push(m.rehearsal_stays_opted_out())
  if (row.consents.length > 0) parts.push(m.rehearsal_opts_out())
  return parts.join(' · ')
}

const REASONS: Record<ImportReason, () => string> = {
  no_number: m.import_reason_no_number,
  not_a_number: m.import_reason_not_a_number,
  spreadsheet: m.import_reason_spreadsheet,
  lost_zero: m.import_reason_lost_zero,
  too_long: m.import_reason_too_long,
  damaged_text: m.import_reason_damaged_text,
  nul: m.import_reason_nul,
  malformed: m.import_reason_malformed,
}

/** Describes why a row is invalid. The value is not repeated, because its cell is in the same row. */
export const describeReason = (reason: ImportReason): string => REASONS[reason]()

/** Describes what importing a fixed row would do. */
export function describeFixedRow(bucket: ImportBucket): string {
  switch (bucket) {
    case 'new':
      return m.import_rejects_good()
    case 'changed':
      return m.import_rejects_changes()
    case 'same':
    case 'kept':
      return m.import_rejects_in_list()
    default:
      return m.import_rejects_skipped({ reason: getBucketTitle(bucket) })
  }
}

function describeKeptValue({ field, before, after }: RowChange, title: (field: string) => string): string {
  const [kept = '', other = ''] = formatValues(field, [before ?? '', after ?? '']).map(
    (text) => text || m.rehearsal_nothing(),
  )
  return m.rehearsal_keeps({ field: title(field), kept, other })
}

function describeChange({ field, before, after }: RowChange, title: (field: string) => string): string {
  const [was = '', is = ''] = formatValues(field, [before ?? '', after ?? '']).map(
    (text) => text || m.rehearsal_nothing(),
  )
  return m.rehearsal_change({ field: title(field), before: was, after: is })
}
