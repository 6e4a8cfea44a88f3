// Text as people see it: lengths in characters, control characters made visible.

/** Counts code points, as the core does; `length` would count a bird twice. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Controls without a picture: of the second set, and those that turn the reading direction round. */
const PICTURELESS = /[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

const ANY_CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

/** Shows control characters, by picture or by number, so that a name never hides what it holds. */
export function visible(text: string): string {
  if (!ANY_CONTROL.test(text)) return text
  let shown = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) shown += String.fromCodePoint(0x2400 + code)
    else if (code === 0x7f) shown += '\u2421'
    else if (PICTURELESS.test(character)) shown += `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
    else shown += character
  }
  return shown
}

/** The same for a text of several lines: line ends and tabs are shown by where they lead. */
export function visibleLines(text: string): string {
  return ANY_CONTROL.test(text)
    ? text
        .split(/([\n\t])/u)
        .map((part) => (/^[\n\t]$/u.test(part) ? part : visible(part)))
        .join('')
    : text
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
