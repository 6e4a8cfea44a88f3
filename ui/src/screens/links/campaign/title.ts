// Titles from a template: text with placeholders in braces.
import { m } from '../../../gen/words'
import { formatList } from '../../../lib/format'
import type { UtmName } from './utm'

export const PLACEHOLDERS = [
  'campaign',
  'source',
  'medium',
  'term',
  'content',
  'title',
  'domain',
  'date',
] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]
export type TitleParts = Record<UtmName | 'title', string>

const PLACEHOLDER = /\{([^{}]*)\}/g
const isPlaceholder = (name: string): name is Placeholder =>
  (PLACEHOLDERS as readonly string[]).includes(name)
export const writePlaceholder = (name: string): string => `{${name}}`

/** Returns the placeholders of a template as they are written, each once. */
function findPlaceholders(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
}

/** Returns whether the template uses the typed or pasted title. */
export function isUsingTitle(template: string): boolean {
  return findPlaceholders(template).some((name) => tidyName(name) === 'title')
}

const tidyName = (name: string): string => name.trim().toLowerCase()

/** Returns the error of a template that is wrong for any values. */
export function findTemplateFault(template: string): string | undefined {
  const unknown = findPlaceholders(template).filter((name) => !isPlaceholder(tidyName(name)))
  if (unknown.length > 0)
    return m.links_template_unknown({
      count: unknown.length,
      names: formatList(unknown.map(writePlaceholder)),
      known: formatList(PLACEHOLDERS.map(writePlaceholder)),
    })
  return /[{}]/.test(template.replaceAll(PLACEHOLDER, '')) ? m.links_template_brace() : undefined
}

/** Returns the title of a link, and the placeholders that have no value. */
export function composeTitle(
  template: string,
  parts: TitleParts,
  target: string,
  today: Date,
): { title: string; missing: Placeholder[] } {
  const values: Record<Placeholder, string> = {
    ...parts,
    domain: domainOf(target),
    date: formatSortableDay(today),
  }
  const missing = new Set<Placeholder>()
  const title = template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const known = tidyName(name)
    if (!isPlaceholder(known)) return whole
    const value = values[known].trim()
    if (value === '') missing.add(known)
    return value === '' ? whole : value
  })
  return { title: title.trim(), missing: [...missing] }
}

function domainOf(target: string): string {
  return URL.canParse(target) ? new URL(target).hostname.replace(/^www\./, '') : ''
}

/** Formats a day so that it sorts: `2026-01-05`, in the user's time zone. */
function formatSortableDay(date: Date): string {
  const padTwo = (part: number): string => String(part).padStart(2, '0')
  return `${String(date.getFullYear())}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`
}

/** Returns the placeholders that complete the last open brace of a template. */
export function findCompletions(template: string): { name: Placeholder; whole: string }[] {
  const open = /\{\s*([^{}]*)$/.exec(template)
  if (open === null && template !== '') return []
  const [begun, typed] = open === null ? ['', ''] : [open[0], tidyName(open[1] ?? '')]
  const before = template.slice(0, template.length - begun.length)
  return PLACEHOLDERS.filter((name) => name.startsWith(typed)).map((name) => ({
    name,
    whole: before + writePlaceholder(name),
  }))
}
