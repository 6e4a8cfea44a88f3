// The titles of bulk acts, for menus and dialogs.
import { m } from '../../../../gen/words'
import type { BulkKind } from './bulk-act'

export const BULK_TITLES: Readonly<Record<BulkKind, () => string>> = {
  set: m.contacts_bulk_set,
  fill_blanks: m.contacts_bulk_blanks,
  replace: m.contacts_replace,
  case: m.contacts_bulk_case,
  trim: m.contacts_bulk_trim,
  e164: m.contacts_bulk_e164,
  split: m.contacts_bulk_split,
  join: m.contacts_bulk_join,
  extract: m.contacts_bulk_extract_title,
  copy: m.contacts_bulk_copy,
  series: m.contacts_bulk_series,
}
