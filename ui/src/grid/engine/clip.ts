// Tables on the clipboard, read and written as spreadsheets do: as tab-separated text and as HTML.
import { toTabSeparated } from '../../lib/copy'
import type { Interval } from './intervals'
import type { Selection } from './selection'

export type Table = readonly (readonly string[])[]

/** Parses tab-separated text. A line end at the very end closes the last row and does not begin another one. */
export function parseTabbed(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  const length = text.length
  for (;;) {
    let cell: string
    if (text[at] === '"') [cell, at] = readQuotedCell(text, at)
    else {
      const start = at
      while (at < length && text[at] !== '\t' && text[at] !== '\n' && text[at] !== '\r') at += 1
      cell = text.slice(start, at)
    }
    row.push(cell)
    if (at < length && text[at] === '\t') {
      at += 1
      continue
    }
    rows.push(row)
    row = []
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    if (at >= length) return rows
  }
}

/** Reads a quoted cell. If the quote is never closed or text follows it, the quote is ordinary text. */
function readQuotedCell(text: string, start: number): [cell: string, end: number] {
  let at = start + 1
  for (;;) {
    const close = text.indexOf('"', at)
    if (close === -1) return readPlainCell(text, start)
    if (text[close + 1] === '"') {
      at = close + 2
      continue
    }
    const after = text[close + 1]
    if (after !== undefined && after !== '\t' && after !== '\n' && after !== '\r')
      return readPlainCell(text, start)
    return [
      text
        .slice(start + 1, close)
        .replaceAll('""', '"')
        .replaceAll('\r\n', '\n'),
      close + 1,
    ]
  }
}

function readPlainCell(text: string, start: number): [string, number] {
  const rest = /[\t\r\n]/.exec(text.slice(start))
  const end = rest === null ? text.length : start + rest.index
  return [text.slice(start, end), end]
}

export const writeTabbed = toTabSeparated

/** Removes the styles. The parsed page is never shown, and the content security policy would report each style. */
function withoutStyles(html: string): string {
  return html
    .replaceAll(/<style\b[^>]*>.*?<\/style>/gis, '')
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, ''))
}

/** Returns the first table of an HTML text; undefined if there is none. */
export function parseHtml(html: string): string[][] | undefined {
  if (!/<table[\s>]/i.test(html)) return undefined
  const table = new DOMParser().parseFromString(withoutStyles(html), 'text/html').querySelector('table')
  if (table === null) return undefined
  const rows: string[][] = []
  /** For each column, how many more rows a cell from above covers. */
  const reach: number[] = []
  for (const line of table.querySelectorAll('tr')) {
    // Skip the rows of a table nested in a cell; their text belongs to the cell.
    if (line.closest('table') !== table) continue
    const row = (rows[rows.length] = [] as string[])
    const skip = (): void => {
      while ((reach[row.length] ?? 0) > 0) {
        reach[row.length] = (reach[row.length] ?? 0) - 1
        row.push('')
      }
    }
    for (const cell of line.children) {
      if (cell.tagName !== 'TD' && cell.tagName !== 'TH') continue
      skip()
      const down = spanOf(cell, 'rowspan') - 1
      const across = spanOf(cell, 'colspan')
      for (let more = 0; more < across; more += 1) {
        reach[row.length] = down
        row.push(more === 0 ? valueOf(cell) : '')
      }
    }
    skip()
  }
  const width = Math.max(0, ...rows.map((row) => row.length))
  for (const row of rows) while (row.length < width) row.push('')
  return width === 0 ? undefined : rows
}

/** Returns how many columns or rows a merged cell covers. Only its first position holds the text. */
function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(name) ?? 1)
  return Number.isInteger(span) ? Math.max(1, Math.min(span, 1_000)) : 1
}

/** How a spreadsheet shows a number that is too wide for its column. */
const SHORTENED = /^(?:[+-]?\d+(?:[.,]\d+)?E[+-]?\d+|#+)$/i
/** Excel and LibreOffice write the full number into an attribute of the cell. */
const NUMBERED = /\s(?:x:num|sdval)\s*=/i

/** Returns the text of a cell, or its full number if the text has lost digits. */
function valueOf(cell: Element): string {
  const text = textOf(cell)
  const exact = SHORTENED.test(text) ? (cell.getAttribute('x:num') ?? cell.getAttribute('sdval') ?? '') : ''
  if (exact === '') return text
  const number = Number(exact)
  return Number.isSafeInteger(number) ? String(number) : exact
}

const BREAK = /^(?:BR)$/
/** LibreOffice writes the note of a cell into the cell. */
const UNREAD = /^(?:STYLE|SCRIPT|COMMENT)$/
const PARAGRAPH = /^(?:P|DIV|LI)$/

/** Returns the text as displayed: white space of the source is one space, breaks and paragraphs are line ends. */
function textOf(cell: Element): string {
  let text = ''
  const visit = (node: Node, keeps: boolean): void => {
    for (const child of node.childNodes) {
      if (child.nodeType === 3) {
        const data = child.nodeValue ?? ''
        text += keeps ? data : data.replaceAll(/[ \t\r\n]+/g, ' ')
      } else if (child.nodeType === 1) {
        const element = child as Element
        if (UNREAD.test(element.tagName)) continue
        if (BREAK.test(element.tagName)) text += '\n'
        else {
          if (PARAGRAPH.test(element.tagName) && text.trim() !== '') text += '\n'
          visit(element, keeps || element.tagName === 'PRE')
        }
      }
    }
  }
  visit(cell, false)
  return text
    .replaceAll(/ *\n */g, '\n')
    .replaceAll(/^[ \n]+|[ \n]+$/g, '')
    .replaceAll('\u00a0', ' ')
}

export function writeHtml(rows: Table, head?: readonly string[]): string {
  const safe = (text: string): string =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(/\r\n|\r/g, '\n')
      // HTML would collapse these spaces.
      .replaceAll(/ (?=[ \n])|^ | $|(?<=\n) /g, '&nbsp;')
      .replaceAll('\n', '<br>')
  const line = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((text) => `<${tag}>${safe(text)}</${tag}>`).join('')}</tr>`
  const lines = rows.map((row) => line(row, 'td')).join('')
  return `<meta charset="utf-8"><table>${head === undefined ? '' : line(head, 'th')}${lines}</table>`
}

/** Returns the table of a paste, or its text if there is no table. */
export function readClip(data: Pick<DataTransfer, 'getData'>): string[][] | undefined {
  const html = data.getData('text/html')
  const table = html === '' ? undefined : parseHtml(html)
  if (table !== undefined) return table
  const text = data.getData('text/plain')
  return text === '' ? undefined : parseTabbed(text)
}

/** Returns the text of a paste, with full numbers where a spreadsheet shortened them. */
export function readClipText(data: Pick<DataTransfer, 'getData'>): string {
  const [text, html] = [data.getData('text/plain'), data.getData('text/html')]
  const isShortened = parseTabbed(text).some((row) => row.some((cell) => SHORTENED.test(cell)))
  const table = isShortened && NUMBERED.test(html) ? parseHtml(html) : undefined
  return table === undefined ? text : writeTabbed(table)
}

/** Pastes such numbers in full into fields that take rows. */
export function pasteWhole(event: ClipboardEvent): void {
  if (event.clipboardData === null) return
  const text = readClipText(event.clipboardData)
  if (text === event.clipboardData.getData('text/plain')) return
  event.preventDefault()
  // This works like typing: the field gets its events and its own undo.
  document.execCommand('insertText', false, text)
}

export interface PastePlan {
  readonly row: number
  /** The columns of the pasted rows, beginning with the first. */
  readonly columns: readonly string[]
  readonly rows: Table
  /** The rows over which the pasted ones are repeated. */
  readonly into?: readonly Interval[]
}

/** Plans where a table is pasted: one value or one row over the whole selection, a block over a selection that is a
 *  multiple of it, anything else from the focus on. */
export function planPaste(clip: Table, selection: Selection, columns: readonly string[]): PastePlan {
  const width = Math.max(1, ...clip.map((row) => row.length))
  const groups = selection.groups()
  const chosen = groups.length === 1 ? groups[0] : undefined
  const { rect } = selection
  const row = chosen?.rows.first ?? rect.top
  const left = chosen === undefined ? rect.left : Math.max(0, columns.indexOf(chosen.columns[0] ?? ''))
  const wide = chosen === undefined ? 1 : chosen.columns.length
  const repeats = wide % width === 0 ? wide / width : 1
  const rows = repeats > 1 ? clip.map((line) => repeated(padRow(line, width), repeats)) : clip
  const over =
    repeats > 1 && chosen !== undefined ? chosen.columns : columns.slice(left, left + Math.max(width, 1))
  const tall = chosen?.rows.size ?? 1
  const fits = tall > 1 && (clip.length === 1 || tall % clip.length === 0)
  if (chosen !== undefined && fits) return { row, columns: over, rows, into: chosen.rows.pairs }
  return { row, columns: over, rows }
}

function padRow(row: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_, at) => row[at] ?? '')
}

function repeated(row: readonly string[], times: number): string[] {
  return Array.from({ length: times }, () => row).flat()
}
