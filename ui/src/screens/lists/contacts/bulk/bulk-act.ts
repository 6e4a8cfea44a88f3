// The form input of bulk acts, and its conversion to the core's acts.
import type { BulkAct, CopyMode, LetterCase } from '../../../../api/generated'

export const KINDS = [
  'set',
  'fill_blanks',
  'replace',
  'case',
  'trim',
  'e164',
  'split',
  'join',
  'extract',
  'copy',
  'series',
] as const
export type BulkKind = (typeof KINDS)[number]

/** The input of all kinds together; each kind uses its own part. */
export interface BulkInput {
  text: string
  /** Whether empty cells take the text above them instead of a given text. */
  above: boolean
  find: string
  with: string
  regex: boolean
  whole: boolean
  case: boolean
  letters: LetterCase
  /** If empty, the region of the contact's own number applies. */
  region: string
  by: string
  from: string[]
  into: string[]
  mode: CopyMode
  start: string
  step: string
  prefix: string
  pad: string
}

export function emptyInput(): BulkInput {
  return {
    text: '',
    above: true,
    find: '',
    with: '',
    regex: false,
    whole: false,
    case: false,
    letters: 'title',
    region: '',
    by: ' ',
    from: [],
    into: [],
    mode: 'blanks',
    start: '1',
    step: '1',
    prefix: '',
    pad: '0',
  }
}

const WHOLE = /^[+-]?\d{1,15}$/
const MOST_PAD = 30

function parseWholeNumber(text: string): number | undefined {
  return WHOLE.test(text.trim()) ? Number(text) : undefined
}

/** Returns the act; undefined while something is missing. */
export function toBulkAct(kind: BulkKind, wanted: BulkInput): BulkAct | undefined {
  const { text, into, from, by } = wanted
  const [target] = into
  switch (kind) {
    case 'set':
      return text === '' ? { clear: true } : { set: text }
    case 'fill_blanks':
      if (wanted.above) return { fill_blanks: 'above' }
      return text === '' ? undefined : { fill_blanks: { text } }
    case 'replace': {
      const { find, regex, case: cased } = wanted
      if (find === '') return undefined
      return { replace: { find, with: wanted.with, regex, whole_cell: wanted.whole, case: cased } }
    }
    case 'case':
      return { case: wanted.letters }
    case 'trim':
      return { trim: true }
    case 'e164': {
      const region = wanted.region.trim().toUpperCase()
      return { e164: { region: region === '' ? null : region } }
    }
    case 'split':
      return by === '' || into.length === 0 ? undefined : { split: { by, into } }
    case 'join':
      return from.length < 2 || target === undefined ? undefined : { join: { from, by, into: target } }
    case 'extract':
      return wanted.find === '' || target === undefined
        ? undefined
        : { extract: { regex: wanted.find, into: target } }
    case 'copy': {
      const [source] = from
      if (source === undefined || target === undefined || source === target) return undefined
      return { copy: { from: source, into: target, mode: wanted.mode } }
    }
    case 'series': {
      const [start, step, pad] = [
        parseWholeNumber(wanted.start),
        parseWholeNumber(wanted.step),
        parseWholeNumber(wanted.pad),
      ]
      if (start === undefined || step === undefined || pad === undefined || pad < 0 || pad > MOST_PAD)
        return undefined
      return { series: { start, step, prefix: wanted.prefix, pad } }
    }
  }
}

/** Returns whether a kind reads one column, the first selected one, and writes to others. */
export function isReadingOneColumn(kind: BulkKind): boolean {
  return kind === 'split' || kind === 'extract'
}

/** Returns whether a kind has its own column fields and ignores the selection. */
export function hasColumnFields(kind: BulkKind): boolean {
  return kind === 'join' || kind === 'copy'
}

/** Returns the initial input, derived from the selected columns and their neighbours. */
export function suggestInput(kind: BulkKind, chosen: readonly string[], all: readonly string[]): BulkInput {
  const wanted = emptyInput()
  const [first] = chosen
  // Columns to the right of the first selected one come first, because people mostly split or copy to the right.
  const place = all.indexOf(first ?? '') + 1
  const others = [...all.slice(place), ...all.slice(0, place)].filter((id) => !chosen.includes(id))
  if (kind === 'split') wanted.into = chosen.length > 1 ? chosen.slice(1) : others.slice(0, 1)
  if (kind === 'extract') wanted.into = [chosen[1] ?? first ?? ''].filter((id) => id !== '')
  if (kind === 'join') {
    wanted.from = chosen.length > 1 ? [...chosen] : [first ?? all[0] ?? '', others[0] ?? '']
    wanted.into = wanted.from.slice(0, 1)
  }
  if (kind === 'copy') {
    wanted.from = [first ?? all[0] ?? '']
    wanted.into = [chosen[1] ?? others[0] ?? '']
  }
  return wanted
}
