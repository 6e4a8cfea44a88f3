// The texts for suggested fixes: what is wrong, its cause, and the evidence.
import type { CleanEvidence, CleanKind, CleanRow } from '../../../../api/generated'
import { m } from '../../../../gen/words'
import { formatNumber } from '../../../../lib/format'
import { visible } from '../../../../lib/text'
import { formatRegion } from '../../../../parts/number/region'

export const KINDS: Readonly<Record<CleanKind, { title: () => string; why: () => string }>> = {
  lost_zero: { title: m.clean_kind_lost_zero, why: m.clean_kind_lost_zero_why },
  scientific: { title: m.clean_kind_scientific, why: m.clean_kind_scientific_why },
  digits_lost: { title: m.clean_kind_digits_lost, why: m.clean_kind_digits_lost_why },
  not_e164: { title: m.clean_kind_not_e164, why: m.clean_kind_not_e164_why },
  not_a_number: { title: m.clean_kind_not_a_number, why: m.clean_kind_not_a_number_why },
  region_mismatch: { title: m.clean_kind_region_mismatch, why: m.clean_kind_region_mismatch_why },
  email_slip: { title: m.clean_kind_email_slip, why: m.clean_kind_email_slip_why },
  not_an_email: { title: m.clean_kind_not_an_email, why: m.clean_kind_not_an_email_why },
  impossible_date: { title: m.clean_kind_impossible_date, why: m.clean_kind_impossible_date_why },
  swapped_names: { title: m.clean_kind_swapped_names, why: m.clean_kind_swapped_names_why },
  letter_case: { title: m.clean_kind_letter_case, why: m.clean_kind_letter_case_why },
  white_space: { title: m.clean_kind_white_space, why: m.clean_kind_white_space_why },
  look_alike: { title: m.clean_kind_look_alike, why: m.clean_kind_look_alike_why },
}

/** Explains why a contact is considered wrong; empty where the text shows it. */
export function describeEvidence(evidence: CleanEvidence | null, cells: CleanRow['cells']): string {
  if (evidence === null) return ''
  if ('read_in' in evidence) return m.clean_read_in({ region: formatRegion(evidence.read_in) })
  if ('usual_region' in evidence) return m.clean_usual_region({ region: formatRegion(evidence.usual_region) })
  const { first_as_first, first_as_last, last_as_first, last_as_last } = evidence.names
  const [first, last] = cells.map(({ before }) => visible(before ?? ''))
  return m.clean_names({
    first: first ?? '',
    last: last ?? '',
    first_as_last: formatNumber(first_as_last),
    first_as_first: formatNumber(first_as_first),
    last_as_first: formatNumber(last_as_first),
    last_as_last: formatNumber(last_as_last),
  })
}
