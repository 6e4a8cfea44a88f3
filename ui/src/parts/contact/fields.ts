// The fields that a contact can have, by name, with the words people know them by.
import { call } from '../../api/call'
import type { FieldInfo } from '../../api/generated'
import { m } from '../../gen/words'
import { visible } from '../../lib/text'

const TITLES: Readonly<Record<string, () => string>> = {
  phone_number: m.contacts_phone_number,
  phone_region: m.contacts_phone_region,
  whatsapp_id: m.contacts_whatsapp_id,
  // The service names the same field differently in what it takes and in what it gives.
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

/** The title of a field: the program's word, or the label the person gave. */
export function fieldTitle(field: { name: string; label?: string | null }): string {
  if (typeof field.label === 'string') return visible(field.label)
  return TITLES[field.name]?.() ?? field.name
}

/** Every field that can be filled in, in the order of the screen. With a list, custom fields that hold dates in it are told. */
export async function loadFields(list?: string): Promise<readonly FieldInfo[]> {
  return (await call('contact_fields', list === undefined ? {} : { list })).fields
}

export function isCustom(name: string): boolean {
  return /^field_\d+$/.test(name)
}

/** How a contact is called: by name, else by number. */
export function contactName(values: Readonly<Record<string, string | undefined>>): string {
  const name = [values['firstname'], values['lastname']]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
  return visible(
    name !== '' ? name : (values['phone_number'] ?? values['whatsapp_id'] ?? values['company_name'] ?? ''),
  )
}
