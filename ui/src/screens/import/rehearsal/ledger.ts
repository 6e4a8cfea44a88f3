// The texts for what an import takes and leaves out.
import type {
  ImportLedger,
  ImportLedgerEntry,
  ImportLedgerItem,
  ImportLedgerOutcome,
} from '../../../api/generated'
import { m } from '../../../gen/words'
import { formatNumber } from '../../../lib/format'

const ITEMS: Record<ImportLedgerItem, () => string> = {
  column: m.rehearsal_ledger_column,
  telephone: m.rehearsal_ledger_column,
  consent: m.rehearsal_ledger_consent,
  surplus_cells: m.rehearsal_ledger_surplus,
  sheet: m.rehearsal_ledger_sheet,
  archive_member: m.rehearsal_ledger_member,
  property: m.rehearsal_ledger_property,
  repeated_name: m.rehearsal_ledger_property,
  comment: m.rehearsal_ledger_comment,
  hidden_value: m.rehearsal_ledger_hidden,
  hidden_rows: m.rehearsal_ledger_hidden_rows,
  formula_without_result: m.rehearsal_ledger_formula,
  spreadsheet_error: m.rehearsal_ledger_error,
  invalid_value: m.rehearsal_ledger_invalid_value,
  list_value_stays: m.rehearsal_ledger_field,
  duplicate_rows: m.rehearsal_ledger_duplicates,
  ambiguous_rows: m.rehearsal_ledger_ambiguous,
  opted_out_rows: m.rehearsal_ledger_opted_out,
  rejected_rows: m.rehearsal_ledger_invalid,
  rows_after_break: m.rehearsal_ledger_after_fault,
  heading_rows: m.rehearsal_ledger_headings,
  blank_rows: m.rehearsal_ledger_blank,
  file_form: m.rehearsal_ledger_file,
  trimmed_space: m.rehearsal_ledger_space,
  rounded_number: m.rehearsal_ledger_rounded,
  exact_number: m.rehearsal_ledger_exact,
  number_spelling: m.rehearsal_ledger_spelling,
  date_form: m.rehearsal_ledger_dates,
  unread_date: m.rehearsal_ledger_unread,
  national_number: m.rehearsal_ledger_national,
  consent_value: m.rehearsal_ledger_consent_value,
  opted_out_list: m.rehearsal_ledger_opted_out_list,
}

const OUTCOMES: Record<ImportLedgerOutcome, () => string> = {
  taken: m.rehearsal_ledger_taken,
  not_data: m.rehearsal_ledger_not_data,
  left_out: m.rehearsal_ledger_left_out,
  rejected: m.rehearsal_ledger_rejected,
}

export const describeItem = (item: ImportLedgerItem): string => ITEMS[item]()
export const getOutcomeTitle = ({ outcome }: ImportLedgerEntry): string => OUTCOMES[outcome]()

const ORDER: readonly ImportLedgerOutcome[] = ['left_out', 'rejected', 'taken', 'not_data']

/** Sorts entries: what is left out comes first. Drops entries that count nothing. */
export const sortEntries = (entries: readonly ImportLedgerEntry[]): ImportLedgerEntry[] =>
  entries
    .filter(({ count, outcome }) => count !== 0 || outcome === 'taken')
    .toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome))

/** Returns how many numbers were in a cell beside an imported one. Such a cell counts as imported, but these numbers
 *  are not. */
export function countNumbersBeside({ entries, cells }: ImportLedger): number {
  const lost = entries.filter(({ outcome, unit }) => outcome === 'left_out' && unit === 'values')
  const sum = (some: readonly ImportLedgerEntry[]): number =>
    some.reduce((all, { count }) => all + (count ?? 0), 0)
  const telephones = sum(lost.filter(({ what }) => what === 'telephone'))
  return Math.max(0, Math.min(telephones, sum(lost) - cells.left_out))
}

/** Returns how many values of a kind are imported. */
export const countTaken = ({ entries }: ImportLedger, item: ImportLedgerItem): number =>
  entries
    .filter(({ what, outcome }) => what === item && outcome === 'taken')
    .reduce((sum, { count }) => sum + (count ?? 0), 0)

/** Returns a count with its unit: “3 rows”. */
export function describeCount({ count, unit }: ImportLedgerEntry): string {
  if (count === null) return m.rehearsal_ledger_unknown()
  const countParams = { count, shown: formatNumber(count) }
  switch (unit) {
    case 'values':
      return m.rehearsal_ledger_values(countParams)
    case 'rows':
      return m.rehearsal_ledger_rows(countParams)
  }
}
