// Custom fields without a name, because the service knows only their numbers, with samples of their values.
import { call } from '../../../api/call'
import type { CustomField } from '../../../api/generated'

/** How many lists are searched for samples, largest first, and how many contacts of each. A field of a small list must be
 *  found beside large lists that do not use it. */
const LISTS = 50
const CONTACTS = 100
/** How many values show what a field is about. */
const SAMPLES = 3

export interface UnnamedField {
  readonly number: number
  readonly samples: readonly string[]
}

/** Returns whether a field still has the default name that the core gave it. */
export const isUnnamed = ({ number, label }: CustomField): boolean => label === `Field ${String(number)}`

/** Returns the unnamed fields that have values. */
export async function findUnnamedFields(): Promise<readonly UnnamedField[]> {
  const fields = (await call('custom_field_all', {})).fields.filter(isUnnamed)
  if (fields.length === 0) return []
  const found = new Map(fields.map(({ number }) => [number, new Set<string>()]))
  const order = { sort_by: 'contact_count', sort_order: 'DESC', name: null } as const
  const lists = await call('list_page', { ...order, page_number: 1, page_size: LISTS })
  for (const { uid } of lists.items) {
    if ([...found.values()].every((samples) => samples.size > 0)) break
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
