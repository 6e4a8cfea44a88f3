// Finds a command by a few of its letters.

/** Returns how well `query` matches `text`, higher is better; undefined if it does not match. */
export function scoreMatch(query: string, text: string): number | undefined {
  const asked = normalizeText(query)
  const given = normalizeText(text)
  if (asked === '') return 0
  const at = given.indexOf(asked)
  // A whole match ranks before scattered letters, and the start of a word before its middle.
  if (at !== -1) return 1000 - Math.min(at, 100) + (startsWord(given, at) ? 500 : 0) - given.length / 100
  let score = 0
  let from = 0
  let last = -2
  for (const letter of asked) {
    if (letter === ' ') continue
    const found = given.indexOf(letter, from)
    if (found === -1) return undefined
    score += found === last + 1 ? 8 : startsWord(given, found) ? 10 : 1 - Math.min(found - last, 20) / 20
    last = found
    from = found + 1
  }
  return score - given.length / 100
}

/** Ranks after whole matches in the text, and before scattered letters. */
const KEYWORD_SCORE = 500

/** Returns the matching items, best first; equal ones keep their order. Of keywords, only whole matches from the start
 *  of a word count. */
export function rankMatches<T>(
  query: string,
  items: readonly T[],
  text: (item: T) => string,
  keywords: (item: T) => string = () => '',
): T[] {
  const score = (item: T): number | undefined => {
    const own = scoreMatch(query, text(item))
    return hasKeyword(query, keywords(item)) ? Math.max(own ?? 0, KEYWORD_SCORE) : own
  }
  return items
    .map((item) => ({ item, score: score(item) }))
    .filter((found): found is { item: T; score: number } => found.score !== undefined)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item)
}

function hasKeyword(query: string, keywords: string): boolean {
  const asked = normalizeText(query)
  return asked !== '' && ` ${normalizeText(keywords)}`.includes(` ${asked}`)
}

function normalizeText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')
}
