// Describes the error of a pasted row and names the cell.
import type { FieldFault, FieldInfo } from '../../../../api/generated'
import { translateSentence } from '../../../../api/sentences'
import { m } from '../../../../gen/words'
import { formatNumber } from '../../../../lib/format'
import { countCharacters, visible } from '../../../../lib/text'
import { fieldTitle } from '../../../../parts/contact/fields'
import { NUMBER_FIELDS } from './refused-rows'

const NUMBER_FIELDS_NAMED = /phone_number.*whatsapp/

/** Returns whether the core refuses a contact without a number; its message names the fields as programs do. */
export function isNumberMissing(field: string, message: string): boolean {
  return NUMBER_FIELDS.includes(field) && NUMBER_FIELDS_NAMED.test(message)
}

const SIZE = /^size must be between \d+ and \d+$/

/** Explains why the core refuses a value, and what would be accepted. */
export function explainRefusal(
  field: Pick<FieldInfo, 'kind' | 'limit'> | undefined,
  text: string | undefined,
  message: string,
): string {
  if (field === undefined) return translateSentence(message)
  if (field.kind === 'number')
    return text === undefined ? m.contacts_number_draft() : m.contacts_number_refused({ text: visible(text) })
  const [count, limit] = [countCharacters(text ?? ''), formatNumber(field.limit)]
  if (count > field.limit) return m.contacts_value_too_long({ count, shown: formatNumber(count), limit })
  return SIZE.test(message) ? m.contacts_value_limit({ limit }) : translateSentence(message)
}

export function describeFault(
  values: Readonly<Record<string, string>>,
  fault: Pick<FieldFault, 'path' | 'message'> | undefined,
  fields: readonly Pick<FieldInfo, 'name' | 'kind' | 'limit' | 'label'>[],
): string {
  if ((values['phone_number'] ?? values['whatsapp_id']) === undefined)
    return m.contacts_record_number_needed()
  const field = fields.find(({ name }) => name === fault?.path)
  const value = field && values[field.name]
  if (field === undefined || value === undefined) return translateSentence(fault?.message ?? '')
  if (field.kind === 'number') return m.contacts_number_refused({ text: visible(value) })
  const over = countCharacters(value) - field.limit
  return m.contacts_paste_cell_fault({
    field: fieldTitle(field),
    problem: over > 0 ? m.contacts_record_too_long({ over }) : translateSentence(fault?.message ?? ''),
  })
}
