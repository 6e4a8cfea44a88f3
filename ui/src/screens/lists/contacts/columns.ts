// The columns of contacts: which exist, which are shown at first, their widths, and which are read-only.
import type { FieldInfo } from '../../../api/generated'
import type { GridColumn } from '../../../grid/engine/columns'
import { formatMoment } from '../../../lib/format'
import { fieldTitle } from '../../../parts/contact/fields'
import { formatDateValue } from '../../../parts/contact/values'

const WIDTHS: Readonly<Record<string, number>> = {
  phone_number: 170,
  whatsapp_id: 180,
  firstname: 140,
  lastname: 140,
  email_address: 210,
  city: 130,
  company_name: 160,
  title: 80,
  zip: 110,
  address_1: 200,
  address_2: 200,
  created_at: 210,
  updated_at: 210,
  uid: 260,
}
const FIRST = [
  'phone_number',
  'whatsapp_id',
  'firstname',
  'lastname',
  'email_address',
  'company_name',
  'city',
]
const HIDDEN = new Set([
  'title', 'alternate_phone', 'date_of_birth', 'address_1', 'address_2', 'state', 'zip', 'country',
]) // prettier-ignore
const DERIVED_FIELDS = ['phone_region', 'whatsapp_region', 'created_at', 'updated_at', 'uid']
const MOMENTS = new Set(['created_at', 'updated_at'])
/** Fields that the core derives and nobody can edit. */
export const READ_ONLY: ReadonlySet<string> = new Set(DERIVED_FIELDS)

export function createGridColumns(fields: readonly FieldInfo[]): GridColumn[] {
  const rank = (name: string): number => {
    const at = FIRST.indexOf(name)
    return at === -1 ? FIRST.length : at
  }
  const width = (name: string): { width: number } | object =>
    WIDTHS[name] === undefined ? {} : { width: WIDTHS[name] }
  const own = fields
    .toSorted((one, other) => rank(one.name) - rank(other.name))
    .map((field) => ({
      id: field.name,
      title: fieldTitle(field),
      isHidden: HIDDEN.has(field.name),
      ...(field.kind === 'date' ? { show: (text: string) => formatDateValue(field.name, text) } : {}),
      ...width(field.name),
    }))
  const derivedColumns = DERIVED_FIELDS.map((name) => ({
    id: name,
    title: fieldTitle({ name }),
    isHidden: name !== 'updated_at',
    isReadOnly: true,
    isSortable: name !== 'uid',
    ...(MOMENTS.has(name) ? { show: formatMoment } : {}),
    ...width(name),
  }))
  return own.length === 0 ? [] : [...own, ...derivedColumns]
}
