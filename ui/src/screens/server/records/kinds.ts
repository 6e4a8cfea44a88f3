// The kinds of records in a world: their fields, the input of each, and what identifies them. A record has the same
// form as in a seed.
import type { Json } from '../../../lib/json'
import type { Schemas } from '../admin-request'

export const KINDS = [
  'senders',
  'lists',
  'contacts',
  'opt_outs',
  'short_links',
  'assets',
  'custom_fields',
  'jobs',
] as const
export type StoredKind = (typeof KINDS)[number]
export type StoredRecord = Schemas['StateRecord']

type FieldInput = 'text' | 'flag' | 'texts' | 'number' | readonly string[]

export interface RecordField {
  name: string
  input: FieldInput
  /** Whether the field identifies the record, so that it cannot change. */
  isFixed?: boolean
  /** The default of a field that is left out. */
  usual?: boolean
  /** An example of its notation. */
  like?: string
  /** The titles of the values to choose from. */
  titles?: Readonly<Record<string, string>>
}

const createTextField = (name: string, like?: string): RecordField =>
  like === undefined ? { name, input: 'text' } : { name, input: 'text', like }
const createFixedField = (name: string, input: FieldInput = 'text'): RecordField => ({
  name,
  input,
  isFixed: true,
})
const ISO = '2026-01-05T09:00:00Z'
const PLAIN = '2026-01-05 09:00:00'
const CHANNELS = ['SMS', 'WHATSAPP'] as const
const ATTRIBUTES = [
  'title',
  'firstname',
  'lastname',
  'date_of_birth',
  'address_1',
  'address_2',
  'city',
  'zip',
  'state',
  'country',
  'company_name',
  'email_address',
  'alternate_phone',
] as const

const FIELDS: Readonly<Record<StoredKind, readonly RecordField[]>> = {
  senders: [
    createTextField('name'),
    { name: 'status', input: ['Pending', 'Verified'] },
    createFixedField('id'),
  ],
  lists: [
    createTextField('name'),
    createTextField('created_at', ISO),
    createTextField('updated_at', ISO),
    createFixedField('uid'),
  ],
  contacts: [
    createTextField('phone_number', '+447700900001'),
    createTextField('phone_region', 'GB'),
    createTextField('whatsapp_id', '+447700900001'),
    createTextField('whatsapp_region', 'GB'),
    ...ATTRIBUTES.map((name) => createTextField(name)),
    createTextField('created_at', PLAIN),
    createTextField('updated_at', PLAIN),
    createFixedField('list_uid'),
    createFixedField('uid'),
  ],
  opt_outs: [
    createFixedField('number'),
    createFixedField('channel', CHANNELS),
    { name: 'opt_out_type', input: ['keyword', 'web_opt_out', 'account_import', 'api_import'] },
    createTextField('asset_id'),
    createTextField('inbound_number'),
    createTextField('opt_out_time', ISO),
    createFixedField('account_level_opt_out', ['true', 'false']),
  ],
  short_links: [
    createTextField('title'),
    createTextField('target_url'),
    createTextField('short_link_url'),
    { name: 'tags', input: 'texts' },
    { name: 'track_clicks', input: 'flag', usual: true },
    createTextField('created_at', ISO),
    createFixedField('link_id'),
  ],
  assets: [
    createTextField('number'),
    { name: 'channel', input: CHANNELS },
    { name: 'keywords', input: 'texts' },
    { name: 'enforce_account_level_opt_outs', input: 'flag' },
    createFixedField('id'),
  ],
  custom_fields: [createTextField('label'), createFixedField('number', 'number')],
  jobs: [],
}

/** The columns of a table; the first one identifies a record. */
export const COLUMNS: Readonly<Record<StoredKind, readonly string[]>> = {
  senders: ['name', 'status', 'id'],
  lists: ['name', 'created_at', 'updated_at', 'uid'],
  contacts: ['phone_number', 'firstname', 'lastname', 'whatsapp_id', 'created_at'],
  opt_outs: ['number', 'channel', 'opt_out_type', 'asset_id', 'opt_out_time'],
  short_links: ['title', 'target_url', 'short_link_url', 'created_at'],
  assets: ['number', 'channel', 'keywords', 'id'],
  custom_fields: ['label', 'number'],
  jobs: ['id', 'state', 'contacts', 'imported', 'failed', 'queued_at'],
}

export const isKind = (name: string | undefined): name is StoredKind => KINDS.some((kind) => kind === name)
/** Returns whether a kind can be edited. Only calls of the interface create jobs. */
export const canEdit = (kind: StoredKind): boolean => kind !== 'jobs'

/** Returns the fields of a kind, and any others that this record has. */
export function listFields(
  kind: StoredKind,
  record: StoredRecord,
  custom: readonly number[],
): readonly RecordField[] {
  const known = FIELDS[kind]
  const more = [
    ...(kind === 'contacts' ? custom.map((number) => `field_${number}`) : []),
    ...Object.keys(record),
  ].filter((name, at, all) => all.indexOf(name) === at && !known.some((field) => field.name === name))
  const others = more.map((name): RecordField => ({ name, input: 'text' }))
  const end = known.findIndex(({ name }) => kind === 'contacts' && name === 'created_at')
  return end < 0 ? [...known, ...others] : [...known.slice(0, end), ...others, ...known.slice(end)]
}

/** Returns a value as one line. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the key by which the admin interface identifies a record. */
export function getKey(kind: StoredKind, record: StoredRecord): string {
  switch (kind) {
    case 'lists':
    case 'contacts':
      return formatValue(record.uid)
    case 'short_links':
      return formatValue(record.link_id)
    case 'custom_fields':
      return formatValue(record.number)
    case 'opt_outs': {
      const scope = record.account_level_opt_out === true ? [] : [formatValue(record.asset_id)]
      return [formatValue(record.number), formatValue(record.channel), ...scope].join(' ')
    }
    default:
      return formatValue(record.id)
  }
}

/** Returns the name of a record for display. */
export function getName(kind: StoredKind, record: StoredRecord): string {
  const names = kind === 'contacts' ? ['phone_number', 'whatsapp_id', 'email_address'] : COLUMNS[kind]
  return names.map((name) => formatValue(record[name])).find((name) => name !== '') ?? getKey(kind, record)
}

export type RecordDraft = Record<string, string | boolean | string[]>

/** Converts a record to a form's content; without a record, returns that of a new one. */
export function toDraft(fields: readonly RecordField[], record?: StoredRecord): RecordDraft {
  const begun = (field: RecordField): string | boolean | string[] => {
    const value = record?.[field.name]
    if (field.input === 'flag')
      return value === undefined ? record === undefined && field.usual === true : value === true
    if (field.input === 'texts') return Array.isArray(value) ? value.map(formatValue) : []
    return formatValue(value)
  }
  return Object.fromEntries(fields.map((field) => [field.name, begun(field)]))
}

function toJsonValue({ input, name }: RecordField, value: string | boolean | string[] | undefined): Json {
  if (typeof value !== 'string') return value ?? null
  const trimmed = value.trim()
  if (trimmed === '') return null
  if (input === 'number') return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed
  if (name === 'account_level_opt_out') return trimmed === 'true'
  return value
}

/** Returns what a form changes compared with its initial content. */
export function findChanges(
  fields: readonly RecordField[],
  draft: RecordDraft,
  begun: RecordDraft,
): StoredRecord {
  const differs = ({ name }: RecordField): boolean =>
    JSON.stringify(draft[name]) !== JSON.stringify(begun[name])
  return Object.fromEntries(
    fields.filter(differs).map((field) => [field.name, toJsonValue(field, draft[field.name])]),
  )
}

/** Returns the changes from a record to a whole new version; fields that the new version omits become null. */
export function findDifferences(wanted: StoredRecord, record: StoredRecord): StoredRecord {
  const names = [...new Set([...Object.keys(record), ...Object.keys(wanted)])]
  const differs = (name: string): boolean => JSON.stringify(wanted[name]) !== JSON.stringify(record[name])
  return Object.fromEntries(names.filter(differs).map((name) => [name, wanted[name] ?? null]))
}

/** Parses a record; returns undefined if the JSON is not one. */
export function parseRecord(json: string): StoredRecord | undefined {
  try {
    const read: unknown = JSON.parse(json)
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as StoredRecord)
      : undefined
  } catch {
    return undefined
  }
}

export const isSameRecord = (a: StoredRecord | null, b: StoredRecord | null): boolean =>
  a === null || b === null ? a === b : Object.keys(findDifferences(a, b)).length === 0
