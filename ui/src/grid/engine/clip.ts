// Tables on the clipboard: read and written as spreadsheets do, as tab-separated text and as HTML.
import { tabbed } from '../../lib/copy'
import type { Interval } from './intervals'
import type { Selection } from './selection'

export type Table = readonly (readonly string[])[]

/** A line end at the very end closes the last row; it does not begin another. */
export function parseTabbed(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  const length = text.length
  for (;;) {
    let cell: string
    if (text[at] === '"') [cell, at] = quoted(text, at)
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

/** A cell in quotes; one whose quote is never closed, or goes on after it, was just text with a quote in it. */
function quoted(text: string, start: number): [cell: string, end: number] {
  let at = start + 1
  for (;;) {
    const close = text.indexOf('"', at)
    if (close === -1) return plain(text, start)
    if (text[close + 1] === '"') {
      at = close + 2
      continue
    }
    const after = text[close + 1]
    if (after !== undefined && after !== '\t' && after !== '\n' && after !== '\r') return plain(text, start)
    return [
      text
        .slice(start + 1, close)
        .replaceAll('""', '"')
        .replaceAll('\r\n', '\n'),
      close + 1,
    ]
  }
}

function plain(text: string, start: number): [string, number] {
  const rest = /[\t\r\n]/.exec(text.slice(start))
  const end = rest === null ? text.length : start + rest.index
  return [text.slice(start, end), end]
}

export const writeTabbed = tabbed

/** Nobody looks at the parsed page, and the rules of this one would complain of every style in it. */
function withoutStyles(html: string): string {
  return html
    .replaceAll(/<style\b[^>]*>.*?<\/style>/gis, '')
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, ''))
}

/** The first table of an HTML text; undefined if it holds none. */
export function parseHtml(html: string): string[][] | undefined {
  if (!/<table[\s>]/i.test(html)) return undefined
  const table = new DOMParser().parseFromString(withoutStyles(html), 'text/html').querySelector('table')
  if (table === null) return undefined
  const rows: string[][] = []
  /** How many rows further a cell of this column reaches down. */
  const reach: number[] = []
  for (const line of table.querySelectorAll('tr')) {
    // Rows of a table within a cell belong to the cell.
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

/** Only the first of merged cells holds the text. */
function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(name) ?? 1)
  return Number.isInteger(span) ? Math.max(1, Math.min(span, 1_000)) : 1
}

/** What a spreadsheet shows of a number that it has no room for. */
const SHORTENED = /^(?:[+-]?\d+(?:[.,]\d+)?E[+-]?\d+|#+)$/i
/** Excel and LibreOffice name the number itself beside the text of its cell. */
const NUMBERED = /\s(?:x:num|sdval)\s*=/i

/** The text of a cell; the number itself where its text has lost digits. */
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

/** The text as it is read: white space of the source is one blank, breaks and paragraphs are line ends. */
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
      // Blanks that HTML would swallow.
      .replaceAll(/ (?=[ \n])|^ | $|(?<=\n) /g, '&nbsp;')
      .replaceAll('\n', '<br>')
  const line = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((text) => `<${tag}>${safe(text)}</${tag}>`).join('')}</tr>`
  const lines = rows.map((row) => line(row, 'td')).join('')
  return `<meta charset="utf-8"><table>${head === undefined ? '' : line(head, 'th')}${lines}</table>`
}

/** What came with a paste: the table if there is one, else the text. */
export function readClip(data: Pick<DataTransfer, 'getData'>): string[][] | undefined {
  const html = data.getData('text/html')
  const table = html === '' ? undefined : parseHtml(html)
  if (table !== undefined) return table
  const text = data.getData('text/plain')
  return text === '' ? undefined : parseTabbed(text)
}

/** The text of a paste, with whole numbers where a spreadsheet shortened them. */
export function readClipText(data: Pick<DataTransfer, 'getData'>): string {
  const [text, html] = [data.getData('text/plain'), data.getData('text/html')]
  const isShortened = parseTabbed(text).some((row) => row.some((cell) => SHORTENED.test(cell)))
  const table = isShortened && NUMBERED.test(html) ? parseHtml(html) : undefined
  return table === undefined ? text : writeTabbed(table)
}

/** For fields that take rows: pastes such numbers whole. */
export function pasteWhole(event: ClipboardEvent): void {
  if (event.clipboardData === null) return
  const text = readClipText(event.clipboardData)
  if (text === event.clipboardData.getData('text/plain')) return
  event.preventDefault()
  // Typed, as it were: the field hears of it and can undo it.
  document.execCommand('insertText', false, text)
}

export interface PastePlan {
  readonly row: number
  /** The columns of the pasted rows, from the first on. */
  readonly columns: readonly string[]
  readonly rows: Table
  /** The rows to repeat the pasted ones over. */
  readonly into?: readonly Interval[]
}

/** Where a table goes: one value or one row over all that is chosen, a block over a multiple of it, else from the focus on. */
export function planPaste(clip: Table, selection: Selection, columns: readonly string[]): PastePlan {
  const width = Math.max(1, ...clip.map((row) => row.length))
  const groups = selection.groups()
  const chosen = groups.length === 1 ? groups[0] : undefined
  const { rect } = selection
  const row = chosen?.rows.first ?? rect.top
  const left = chosen === undefined ? rect.left : Math.max(0, columns.indexOf(chosen.columns[0] ?? ''))
  const wide = chosen === undefined ? 1 : chosen.columns.length
  const repeats = wide % width === 0 ? wide / width : 1
  const rows = repeats > 1 ? clip.map((line) => repeated(padded(line, width), repeats)) : clip
  const over =
    repeats > 1 && chosen !== undefined ? chosen.columns : columns.slice(left, left + Math.max(width, 1))
  const tall = chosen?.rows.size ?? 1
  const fits = tall > 1 && (clip.length === 1 || tall % clip.length === 0)
  if (chosen !== undefined && fits) return { row, columns: over, rows, into: chosen.rows.pairs }
  return { row, columns: over, rows }
}

function padded(row: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_, at) => row[at] ?? '')
}

function repeated(row: readonly string[], times: number): string[] {
  return Array.from({ length: times }, () => row).flat()
}
