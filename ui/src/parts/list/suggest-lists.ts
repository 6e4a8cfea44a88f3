// Suggests lists by a few letters of their name or alias.
import { call } from '../../api/call'
import type { ListCard } from '../../api/generated'
import type { Suggestion } from '../../kit/form/suggest.svelte'
import { formatNumber } from '../../lib/format'
import { visible } from '../../lib/text'

const OFFERED = 20

export async function findLists(text: string, except: readonly string[] = []): Promise<readonly ListCard[]> {
  const { items } = await call('list_page', {
    page_number: 1,
    page_size: OFFERED + except.length,
    sort_by: text.trim() === '' ? 'updated_at' : 'name',
    sort_order: text.trim() === '' ? 'DESC' : 'ASC',
    name: text.trim() === '' ? null : text.trim(),
  })
  return items.filter((list) => !except.includes(list.uid)).slice(0, OFFERED)
}

export function asSuggestion(list: ListCard): Suggestion {
  return { value: list.uid, title: visible(list.name), detail: formatNumber(list.contact_count) }
}
