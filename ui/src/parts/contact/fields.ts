// The fields of contacts, by name, with their titles.
import { call } from '../../api/call'
import type { CustomField, FieldInfo } from '../../api/generated'
import { m } from '../../gen/words'
import { visible } from '../../lib/text'

const TITLES: Readonly<Record<string, () => string>> = {
  phone_number: m.contacts_phone_number,
  phone_region: m.contacts_phone_region,
  whatsapp_id: m.contacts_whatsapp_id,
  // The service's responses name some fields differently from its requests.
  whatsapp_number: m.contacts_whatsapp_id,
  whatsapp_region: m.contacts_whatsapp_region,
  alternate_phone: m.contacts_alternate_phone,
  title: m.contacts_title,
  firstname: m.contacts_firstname,
  lastname: m.contacts_lastname,
  company_name: m.contacts_company_name,
  email_address: m.contacts_email_address,
  date_of_birth: m.contacts_date_of_birth,
  address_1: m.contacts_address_1,
  address_2: m.contacts_address_2,
  city: m.contacts_city,
  state: m.contacts_state,
  zip: m.contacts_zip,
  country: m.contacts_country,
  created_at: m.contacts_created_at,
  updated_at: m.contacts_updated_at,
  uid: m.contacts_uid,
}

/** Returns the title of a field: the program's, or the label that the user gave. */
export function fieldTitle(field: { name: string; label?: string | null }): string {
  if (typeof field.label === 'string') return visible(field.label)
  return TITLES[field.name]?.() ?? field.name
}

/** Returns a function from the names of fields to their titles. `added` are custom fields that an import creates. */
export function createFieldTitles(
  fields: readonly FieldInfo[],
  added: readonly CustomField[] = [],
): (name: string) => string {
  const titles = new Map([
    ...fields.map((field) => [field.name, fieldTitle(field)] as const),
    ...added.map(({ number, label }) => [`field_${number}`, visible(label)] as const),
  ])
  return (name) => titles.get(name) ?? fieldTitle({ name })
}

/** Loads every field that can be filled in, in the order of the screen. With a list, it also says which custom
 *  fields hold dates there. */
export async function loadFields(list?: string): Promise<readonly FieldInfo[]> {
  return (await call('contact_fields', list === undefined ? {} : { list })).fields
}

export function isCustom(name: string): boolean {
  return /^field_\d+$/.test(name)
}

/** Returns the name of a contact, or else its number. */
export function contactName(values: Readonly<Record<string, string | undefined>>): string {
  const name = [values['firstname'], values['lastname']]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
  return visible(
    name !== '' ? name : (values['phone_number'] ?? values['whatsapp_id'] ?? values['company_name'] ?? ''),
  )
}
