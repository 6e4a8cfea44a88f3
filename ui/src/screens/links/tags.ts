// Suggests tags that are in use. A field also works without suggestions.
import { call } from '../../api/call'
import { m } from '../../gen/words'
import type { Suggestion } from '../../kit/form/suggest.svelte'
import { formatNumber } from '../../lib/format'

export async function suggestTags(typed: string): Promise<Suggestion[]> {
  try {
    const { tags } = await call('short_link_tags', { prefix: typed.trim() })
    return tags.map(({ tag, count }) => ({
      value: tag,
      title: tag,
      detail: m.links_tag_count({ count: formatNumber(count) }),
    }))
  } catch {
    return []
  }
}
