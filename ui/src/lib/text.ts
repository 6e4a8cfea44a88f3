// Text as people see it: lengths in characters, visible control characters.
import { language } from './locale.svelte'

/** Counts code points, as the core does; `length` counts an emoji twice. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Control characters, including those that change the reading direction. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** Those that keep the order in a right-to-left text; messages and dates of such a language have them. */
const ORDER = /[\u061c\u200e\u200f\u2066\u2068\u2069]/

/** Returns a code such as “U+0430”. */
export function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Shows control characters by number, so that a name cannot hide any; few fonts have glyphs for them. */
export function visible(text: string): string {
  const isOurs = (control: string): boolean => language.dir === 'rtl' && ORDER.test(control)
  return text.replace(CONTROLS, (control) => (isOurs(control) ? control : `[${formatCodePoint(control)}]`))
}

/** Characters that nobody sees, but not the joiners that scripts and emoji need between two others. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<![\p{L}\p{M}\p{Emoji}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Emoji}])/gu

/** Returns the numbers of the invisible characters in a text, each once: “U+202E”. */
export function listHidden(text: string): string[] {
  const found = (text.match(HIDDEN) ?? []).filter((one) => language.dir !== 'rtl' || !ORDER.test(one))
  return [...new Set(found)].map(formatCodePoint)
}

/** Shows control characters in a text of several lines, but keeps line ends and tabs. */
export function visibleLines(text: string): string {
  return text
    .split(/([\n\t])/u)
    .map((part) => (/^[\n\t]$/u.test(part) ? part : visible(part)))
    .join('')
}

/** Returns whether a text was typed that looks like another one, whose control characters nobody can type. */
export function isTypedLike(typed: string, text: string): boolean {
  const plain = (one: string): string => one.replace(CONTROLS, '').trim().normalize()
  return typed.trim() === visible(text).trim() || (plain(text) !== '' && plain(typed) === plain(text))
}

/** How many lines determine the distance of the tab stops. */
const TAB_LINES = 200
const TAB_LEAST = 8
const TAB_MOST = 40

/** Returns the distance of the tab stops, in characters, that aligns the columns of a text. */
export function measureTabSize(text: string): number {
  const cells = text.split('\n', TAB_LINES).flatMap((line) => line.split('\t').slice(0, -1))
  const widest = cells.reduce((most, cell) => Math.max(most, cell.length), 0)
  return Math.min(TAB_MOST, Math.max(TAB_LEAST, widest + 2))
}
