// The search in the headings and the text of the guide.
import { PAGES } from 'virtual:guides'

export interface SearchableSection {
  page: string
  pageTitle: string
  id: string
  title: string
  text: string
}

export interface GuideHit extends SearchableSection {
  /** The text around the first match, in three parts; the middle one is the match, or empty if the title matches. */
  excerpt: readonly [string, string, string]
}

/** Characters of text that are shown on each side of a match. */
const AROUND = 70

/** Loads every page, with the text of each section. */
export async function loadSections(): Promise<readonly SearchableSection[]> {
  const pages = PAGES.map(async ({ id: page, title: pageTitle, load }) =>
    (await load()).map(({ id, title, html }) => ({ page, pageTitle, id, title, text: textOf(html) })),
  )
  return (await Promise.all(pages)).flat()
}

function textOf(html: string): string {
  const template = document.createElement('template')
  // Without a space, the words of two cells of a table would be one word.
  template.innerHTML = html.replaceAll(/<\/(?:td|th|li|p|pre)>/g, ' $&')
  return (template.content.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Returns the sections that contain every word, those with a word in their title first. */
export function searchGuide(sections: readonly SearchableSection[], wanted: string): GuideHit[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const contains = (text: string): number => words.filter((word) => text.includes(word)).length
  return sections
    .flatMap((section) => {
      const title = section.title.toLowerCase()
      const text = section.text.toLowerCase()
      if (contains(`${title} ${text}`) < words.length) return []
      return [{ section, weight: contains(title), text }]
    })
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ section, text }) => ({ ...section, excerpt: excerptOf(section.text, text, words) }))
}

function excerptOf(text: string, lower: string, words: readonly string[]): GuideHit['excerpt'] {
  const found = words.map((word) => ({ at: lower.indexOf(word), word })).filter(({ at }) => at !== -1)
  const [first] = found.toSorted((a, b) => a.at - b.at)
  // Lower case may be longer than the text in some languages, but not in English.
  if (first === undefined) return [text.slice(0, 2 * AROUND), '', '']
  const end = first.at + first.word.length
  const begin = Math.max(0, first.at - AROUND)
  return [
    `${begin > 0 ? '…' : ''}${text.slice(begin, first.at)}`,
    text.slice(first.at, end),
    `${text.slice(end, end + AROUND)}${end + AROUND < text.length ? '…' : ''}`,
  ]
}
