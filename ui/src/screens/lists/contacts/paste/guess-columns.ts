// Guesses which column of pasted rows is which field of a contact; the user can change it.
import { isCommaUsual, splitName, type PersonName } from '../../../../parts/contact/person-name'
import { looksLikeNumber } from './rows'

/** A field of a contact, or a whole name to be split into title, first and last name, or nothing. */
export type PasteTarget = string
export const WHOLE_NAME = 'name'

export interface KnownField {
  key: string
  /** The title of the field, or the label of a custom one. */
  title: string
}

export interface ColumnGuess {
  hasHead: boolean
  columns: readonly (PasteTarget | undefined)[]
}

/** The usual headings of fields, without spaces and punctuation. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  phone_number: ['phone', 'phonenumber', 'phoneno', 'mobile', 'mobilenumber', 'mobilephone', 'mobileno', 'tel', 'telephone', 'telephonenumber', 'cell', 'cellphone', 'msisdn', 'number', 'sms'],
  whatsapp_id: ['whatsapp', 'whatsappnumber', 'whatsappid', 'wa', 'wanumber'],
  alternate_phone: ['alternatephone', 'otherphone', 'landline', 'homephone', 'workphone', 'phone2'],
  title: ['title', 'salutation', 'prefix'],
  firstname: ['firstname', 'first', 'givenname', 'forename', 'fname'],
  lastname: ['lastname', 'last', 'surname', 'familyname', 'lname'],
  [WHOLE_NAME]: ['name', 'fullname', 'contact', 'contactname', 'customer', 'customername'],
  company_name: ['company', 'companyname', 'organisation', 'organization', 'firm', 'business'],
  email_address: ['email', 'emailaddress', 'mail'],
  date_of_birth: ['dateofbirth', 'dob', 'birthday', 'birthdate', 'born'],
  address_1: ['address', 'address1', 'addressline1', 'street'],
  address_2: ['address2', 'addressline2'],
  city: ['city', 'town'],
  state: ['state', 'county', 'province', 'region'],
  zip: ['zip', 'zipcode', 'postcode', 'postalcode'],
  country: ['country'],
} // prettier-ignore
const MOST = 0.6

export function normalizeHeading(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

function fieldCalled(heading: string, fields: readonly KnownField[]): PasteTarget | undefined {
  const plain = normalizeHeading(heading)
  if (plain === '') return undefined
  const own = fields.find(
    ({ key, title }) => normalizeHeading(title) === plain || normalizeHeading(key) === plain,
  )
  return own?.key ?? Object.keys(CALLED).find((key) => CALLED[key]?.includes(plain))
}

export function guessColumns(
  rows: readonly (readonly string[])[],
  width: number,
  fields: readonly KnownField[],
): ColumnGuess {
  const first = rows[0] ?? []
  const called = first.map((cell) => fieldCalled(cell, fields))
  // A heading names a field, and unlike most rows of data it contains no number.
  const hasHead =
    rows.length > 0 && called.some((field) => field !== undefined) && !first.some(looksLikeNumber)
  if (hasHead) return { hasHead, columns: dropRepeated(Array.from({ length: width }, (_, at) => called[at])) }
  return { hasHead, columns: byContent(rows, width) }
}

/** Keeps the first column of each field; the user must decide about the others. */
function dropRepeated(columns: readonly (PasteTarget | undefined)[]): (PasteTarget | undefined)[] {
  return columns.map((field, at) => (columns.indexOf(field) === at ? field : undefined))
}

function byContent(rows: readonly (readonly string[])[], width: number): (PasteTarget | undefined)[] {
  const columns: (PasteTarget | undefined)[] = Array.from({ length: width }, () => undefined)
  const cells = (at: number): string[] => rows.map((row) => row[at] ?? '').filter((cell) => cell !== '')
  const isMostly = (at: number, test: (cell: string) => boolean): boolean => {
    const there = cells(at)
    return there.length > 0 && there.filter(test).length / there.length >= MOST
  }
  const all = columns.map((_, at) => at)
  const numbers = all.filter((at) => isMostly(at, looksLikeNumber))
  for (const [place, at] of numbers.entries())
    columns[at] = ['phone_number', 'whatsapp_id', 'alternate_phone'][place]
  const mail = all.find(
    (at) => columns[at] === undefined && isMostly(at, (cell) => /^\S+@\S+\.\S+$/.test(cell)),
  )
  if (mail !== undefined) columns[mail] = 'email_address'
  const words = all.filter((at) => columns[at] === undefined && isMostly(at, (cell) => /\p{L}/u.test(cell)))
  const [one, two] = words
  if (one !== undefined && isMostly(one, (cell) => /\S\s+\S/.test(cell))) columns[one] = WHOLE_NAME
  else if (one !== undefined) {
    columns[one] = 'firstname'
    if (two !== undefined) columns[two] = 'lastname'
  }
  return columns
}

/** Returns a function that splits the whole names of a column. */
export function createNameSplitter(
  rows: readonly (readonly string[])[],
  { hasHead, columns }: ColumnGuess,
): (name: string) => PersonName {
  const column = columns.indexOf(WHOLE_NAME)
  const hasCommas = isCommaUsual(rows.slice(hasHead ? 1 : 0).map((row) => row[column] ?? ''))
  return (name) => splitName(name, hasCommas)
}

/** Returns the contacts of the rows, by field, without empty cells. */
export function toContacts(
  rows: readonly (readonly string[])[],
  guess: ColumnGuess,
): { row: number; values: Record<string, string> }[] {
  const { hasHead, columns } = guess
  const split = createNameSplitter(rows, guess)
  return rows.slice(hasHead ? 1 : 0).map((cells, at) => {
    const values: Record<string, string> = {}
    for (const [column, target] of columns.entries()) {
      const cell = cells[column]?.trim() ?? ''
      if (cell === '' || target === undefined) continue
      if (target !== WHOLE_NAME) values[target] = cell
      else {
        for (const [key, part] of Object.entries(split(cell))) if (part !== '') values[key] ??= part
      }
    }
    return { row: at + 1 + (hasHead ? 1 : 0), values }
  })
}
