// Custom fields that came from the service, which knows them by number alone, with some of their values.
import { call } from '../../../api/call'
import type { CustomField } from '../../../api/generated'

/** Lists that are looked into, the largest first, and contacts of each. */
const LISTS = 3
const CONTACTS = 100
/** Values that tell a person what a field is. */
const SAMPLES = 3

export interface UnnamedField {
  readonly number: number
  readonly samples: readonly string[]
}

/** Whether a field still has the name that the core gives one it knows nothing of. */
export const isUnnamed = ({ number, label }: CustomField): boolean => label === `Field ${String(number)}`

/** Unnamed fields that hold something. */
export async function unnamedFields(): Promise<readonly UnnamedField[]> {
  const fields = (await call('custom_field_all', {})).fields.filter(isUnnamed)
  if (fields.length === 0) return []
  const found = new Map(fields.map(({ number }) => [number, new Set<string>()]))
  const order = { sort_by: 'contact_count', sort_order: 'DESC', name: null } as const
  const lists = await call('list_page', { ...order, page_number: 1, page_size: LISTS })
  for (const { uid } of lists.items) {
    const page = { page_number: 1, page_size: CONTACTS, sort: null, filter: null, opted_out: null }
    for (const { values } of (await call('contact_page', { list: uid, ...page })).items)
      for (const [number, samples] of found) {
        const text = values[`field_${String(number)}`]
        if (text !== undefined && text !== '' && samples.size < SAMPLES) samples.add(text)
      }
  }
  return [...found]
    .map(([number, samples]) => ({ number, samples: [...samples] }))
    .filter(({ samples }) => samples.length > 0)
}
