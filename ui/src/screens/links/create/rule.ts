// The rules for short links, checked before the core does.
import { m } from '../../../gen/words'
import { countCharacters } from '../../../lib/text'

export const TITLE_LIMIT = 100
export const TARGET_LIMIT = 2048
export const TAG_LIMIT = 50
export const TAGS_LIMIT = 10

export interface LinkDraft {
  title: string
  target_url: string
  tags: string[]
  track_clicks: boolean
}

export type DraftField = 'title' | 'target_url' | 'tags'

export function findTitleFault(title: string): string | undefined {
  const length = countCharacters(title.trim())
  if (length === 0) return m.links_title_missing()
  return length > TITLE_LIMIT ? m.links_title_long({ over: length - TITLE_LIMIT }) : undefined
}

export function findTargetFault(target: string): string | undefined {
  const text = target.trim()
  if (text === '') return m.links_target_missing()
  const over = countCharacters(text) - TARGET_LIMIT
  if (over > 0) return m.links_target_long({ over })
  if (/\s|\p{Cc}/u.test(text)) return m.links_target_blank()
  return isWebAddress(text) ? undefined : m.links_target_invalid()
}

export function findTagsFault(tags: readonly string[]): string | undefined {
  const kept = tags.map((tag) => tag.trim())
  const bad = kept.find(
    (tag) => tag === '' || countCharacters(tag) > TAG_LIMIT || !/^[\p{Alphabetic}\p{N} _-]+$/u.test(tag),
  )
  if (bad !== undefined) return m.links_tag_invalid({ tag: bad })
  return new Set(kept).size > TAGS_LIMIT ? m.links_tags_many() : undefined
}

export function findFaults(draft: LinkDraft): Partial<Record<DraftField, string>> {
  const found = {
    title: findTitleFault(draft.title),
    target_url: findTargetFault(draft.target_url),
    tags: findTagsFault(draft.tags),
  }
  return Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== undefined))
}

/** Adds the default scheme to an address without one. */
export function completeAddress(target: string): string {
  const text = target.trim()
  return /^[^\s:/?#@.]+(\.[^\s:/?#@.]+)+(:\d+)?([/?#]\S*)?$/.test(text) ? `https://${text}` : text
}

/** Returns whether a text is an absolute web address. The browser's URL parser alone accepts too much. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text) && new URL(text).hostname !== ''
}
