// Text as people see it: lengths in characters, control characters made visible.

/** Counts code points, as the core does; `length` would count a bird twice. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Control characters, and those that turn the reading direction round. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** Shows control characters by number, so that a name never hides what it holds; few fonts have pictures of them. */
export function visible(text: string): string {
  return text.replace(
    CONTROLS,
    (control) => `[U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** The same for a text of several lines: line ends and tabs are shown by where they lead. */
export function visibleLines(text: string): string {
  return text
    .split(/([\n\t])/u)
    .map((part) => (/^[\n\t]$/u.test(part) ? part : visible(part)))
    .join('')
}

/** Lines and widths that matter for how far tabs stand apart. */
const TAB_LINES = 200
const TAB_LEAST = 8
const TAB_MOST = 40

/** How far tabs must stand apart for the columns of a text to stand one below the other, in characters. */
export function tabSize(text: string): number {
  const cells = text.split('\n', TAB_LINES).flatMap((line) => line.split('\t').slice(0, -1))
  const widest = cells.reduce((most, cell) => Math.max(most, cell.length), 0)
  return Math.min(TAB_MOST, Math.max(TAB_LEAST, widest + 2))
}
