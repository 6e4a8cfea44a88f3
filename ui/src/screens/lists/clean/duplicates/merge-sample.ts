// The values that merging all groups removes, for the first groups that it would merge.
import { call } from '../../../../api/call'
import type { ContactCard, DuplicateMergeAll } from '../../../../api/generated'
import { GroupChoice } from './group-choice.svelte'

const SHOWN = 10
/** The program derives these from the number beside them. */
const DERIVED: ReadonlySet<string> = new Set(['phone_region', 'whatsapp_region'])

export interface MergeSample {
  survivor: string
  /** By field, numbers first. */
  lostValues: readonly { field: string; values: readonly string[] }[]
  /** Numbers that no contact of the group will have after the merge. */
  lostNumbers: readonly string[]
  optedOut: readonly ContactCard[]
}

/** Returns the samples, keyed by the contact that stays in each group. */
export async function loadMergeSamples({
  id,
  key,
  least_confidence,
  rule,
}: Pick<DuplicateMergeAll, 'id' | 'key' | 'least_confidence' | 'rule'>): Promise<MergeSample[]> {
  const page = { page_number: 1, page_size: SHOWN, key, least_confidence, skipped: false }
  const { items } = await call('duplicate_page', { id, ...page })
  const all = await Promise.all(items.map(({ group }) => call('duplicate_group', { id, group, rule })))
  return all.map((whole) => {
    const { survivor, lostValues, lostNumbers, included } = new GroupChoice(whole)
    return {
      survivor,
      lostNumbers,
      lostValues: [...new Set(lostValues.map(({ field }) => field))]
        .filter((field) => !DERIVED.has(field))
        .map((field) => ({
          field,
          values: lostValues.filter((one) => one.field === field).map(({ value }) => value),
        })),
      optedOut: included.filter(({ sms, whatsapp }) => sms !== 'none' || whatsapp !== 'none'),
    }
  })
}
