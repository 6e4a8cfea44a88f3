// Finds records of every kind by number, name, title or UID.
import { call } from '../../api/call'
import type { SearchHit } from '../../api/generated'
import { m } from '../../gen/words'
import { href } from '../../lib/router.svelte'

export type { SearchHit }

/** One call searches a section of the account; after this many calls, the results so far are shown. */
const ROUNDS = 20

export async function search(text: string, limit: number): Promise<readonly SearchHit[]> {
  const asked = text.trim()
  const hits: SearchHit[] = []
  let after: string | null = null
  if (asked === '') return hits
  for (let round = 0; round < ROUNDS && hits.length < limit; round += 1) {
    const answer: { hits: SearchHit[]; next: string | null } = await call('search_everything', {
      text: asked,
      noun: null,
      after,
      limit: limit - hits.length,
    })
    hits.push(...answer.hits)
    after = answer.next
    if (after === null) break
  }
  return hits
}

/** Returns the address of a record. */
export function getRecordHref({ noun, uid, list_uid }: SearchHit): string {
  switch (noun) {
    case 'list':
      return href('lists', uid)
    case 'contact':
      return list_uid === null ? href('lists') : href('lists', list_uid, uid)
    case 'short_link':
      return href('links', uid)
    case 'opt_out':
      return href('optouts', uid)
    case 'custom_field':
      return href('fields', uid)
    case 'sender':
    case 'asset':
      return href('senders', uid)
    default:
      return href('overview')
  }
}

/** Returns the heading for a kind of record. */
export function nounTitle(noun: string): string {
  const titles: Readonly<Record<string, () => string>> = {
    list: m.frame_hits_list,
    contact: m.frame_hits_contact,
    short_link: m.frame_hits_short_link,
    opt_out: m.frame_hits_opt_out,
    custom_field: m.frame_hits_custom_field,
    sender: m.frame_hits_sender,
    asset: m.frame_hits_asset,
  }
  return (titles[noun] ?? m.frame_hits_other)()
}
