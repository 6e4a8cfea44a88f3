// Parses pasted text into rows of cells: from a spreadsheet, a file, or lines of an e-mail.

export type Separator = '\t' | ';' | ',' | '|' | 'words' | 'none'

export interface PastedRows {
  separator: Separator
  rows: readonly (readonly string[])[]
  /** The number of cells of the widest row. */
  width: number
}

/** Digits with common separators; at least six digits. */
const NUMBER = /^\+?[\d\s().\-/\u00a0\u2010-\u2015]*$/
const NAME_THEN_NUMBER = /^(\S.*?)[\s:]+(\+?\(?\d[\d\s().\-/]{5,})$/
const NUMBER_THEN_NAME = /^(\+?\(?\d[\d\s().\-/]{5,}?)\s+([^\d\s].*)$/

/** Schemes of addresses that are numbers, such as `tel:07700 900001`. */
const SCHEME = /^(?:tel|sms|callto|whatsapp|mobile|phone):\/{0,2}/i

export function looksLikeNumber(cell: string): boolean {
  const bare = cell.trim().replace(SCHEME, '').trim()
  const digits = bare.replaceAll(/\D/g, '').length
  return digits >= 6 && digits <= 18 && NUMBER.test(bare)
}

export function readPasted(text: string): PastedRows {
  const clean = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
  const separator = separatorOf(clean)
  const rows = (
    separator === 'words' || separator === 'none'
      ? byLine(clean, separator)
      : splitQuotedCells(clean, separator)
  )
    .map((row) => row.map((cell) => cell.trim()))
    .filter((row) => row.some((cell) => cell !== ''))
  return { separator, rows, width: rows.reduce((most, row) => Math.max(most, row.length), 0) }
}

function separatorOf(text: string): Separator {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const share = (test: (line: string) => boolean): number =>
    lines.filter(test).length / Math.max(1, lines.length)
  if (share((line) => line.includes('\t')) > 0.5) return '\t'
  for (const one of [';', ',', '|'] as const) if (share((line) => line.includes(one)) > 0.5) return one
  if (share((line) => splitWords(line).length === 2) > 0.5) return 'words'
  return 'none'
}

function byLine(text: string, separator: 'words' | 'none'): string[][] {
  return text.split('\n').map((line) => (separator === 'words' ? splitWords(line) : [line]))
}

/** Splits “Ada Byrne +44 7700 900001” into name and number, in either order. */
function splitWords(line: string): string[] {
  const trimmed = line.trim()
  const after = NAME_THEN_NUMBER.exec(trimmed)
  if (after?.[1] !== undefined && after[2] !== undefined && !looksLikeNumber(trimmed))
    return [after[1], after[2]]
  const before = NUMBER_THEN_NAME.exec(trimmed)
  if (before?.[1] !== undefined && before[2] !== undefined) return [before[2], before[1]]
  return [trimmed]
}

/** Splits text into cells as spreadsheets write them: cells with a separator, a line end or a quote are quoted. */
function splitQuotedCells(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else quoted = false
    } else if (character === '"' && cell.trim() === '' && isQuoteClosed(text, at, separator)) {
      cell = ''
      quoted = true
    } else if (character === separator) {
      row.push(cell)
      cell = ''
    } else if (character === '\n') {
      rows.push([...row, cell])
      row = []
      cell = ''
    } else cell += character
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}

/** Returns whether a quote is closed and so begins a quoted cell. Inches and nicknames contain single quotes. */
function isQuoteClosed(text: string, from: number, separator: string): boolean {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (text[at + 1] === '"') {
      at += 1
      continue
    }
    const next = text.slice(at + 1).trimStart()[0]
    const rest = text[at + 1]
    return rest === undefined || rest === '\n' || rest === separator || next === separator
  }
  return false
}
