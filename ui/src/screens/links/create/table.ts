// Reads a pasted table of links, with tabs from a spreadsheet, or commas or semicolons from a file.
import type { LinkItem } from '../links-page.svelte'
import { completeAddress, findFaults, type DraftField, type LinkDraft } from './rule'

export interface LinkRow extends LinkDraft {
  /** The line number, from 1. */
  line: number
  faults: Partial<Record<DraftField, string>>
}

/** The most links that one act creates. */
export const MOST = 10_000

/** Turns a draft into a link with its errors. */
type MakeLink = (draft: LinkDraft) => LinkDraft & Pick<LinkRow, 'faults'>

export function readRows(
  text: string,
  track: boolean,
  tagsForAll: readonly string[] = [],
  make: MakeLink = (draft) => ({ ...draft, faults: findFaults(draft) }),
): LinkRow[] {
  const lines = splitCells(text)
  const columns = findColumns(lines[0]?.cells ?? [])
  return lines
    .slice(columns.named ? 1 : 0)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
    .map(({ line, cells }) => {
      const draft: LinkDraft = {
        title: (cells[columns.title] ?? '').trim(),
        target_url: completeAddress(cells[columns.target] ?? ''),
        tags: [...new Set([...splitTags(cells[columns.tags ?? -1] ?? ''), ...tagsForAll])],
        track_clicks: track,
      }
      return { line, ...make(draft) }
    })
}

/** A row with what is known about its target. */
export interface CheckedRow {
  row: LinkRow
  /** An existing link to the same target. */
  existing: LinkItem | undefined
  /** The line of an earlier row with the same target. */
  twice: number | undefined
}

export function checkRows(rows: readonly LinkRow[], existing: ReadonlyMap<string, LinkItem>): CheckedRow[] {
  const first = new Map<string, number>()
  return rows.map((row) => {
    const twice = first.get(row.target_url)
    if (twice === undefined && row.target_url !== '') first.set(row.target_url, row.line)
    return { row, existing: existing.get(row.target_url), twice }
  })
}

/** Splits the tags of a cell at commas and semicolons, and drops duplicates. */
export function splitTags(cell: string): string[] {
  return [
    ...new Set(
      cell
        .split(/[,;|]/)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    ),
  ]
}

interface LinkColumns {
  named: boolean
  title: number
  target: number
  tags: number | undefined
}

/** Finds the columns by the header, or else by the position of the address. */
function findColumns(first: readonly string[]): LinkColumns {
  const at = (words: RegExp): number => first.findIndex((cell) => words.test(cell.trim()))
  const target = at(/^(target([ _]?(url|address))?|url|link|address|destination)$/i)
  const title = at(/^(title|name)$/i)
  const isNamed = title !== -1 || !first.some((cell) => /^https?:\/\//i.test(cell.trim()))
  if (target !== -1 && isNamed) {
    const tags = at(/^(tags?|labels?)$/i)
    return { named: true, title, target, tags: tags === -1 ? undefined : tags }
  }
  const isFirst = /^https?:\/\//i.test((first[0] ?? '').trim())
  return { named: false, title: isFirst ? 1 : 0, target: isFirst ? 0 : 1, tags: 2 }
}

/** Returns the most frequent separator of the first line; a tab always wins. */
function findSeparator(text: string): string {
  const first = text.split(/\r?\n/).find((line) => line.trim() !== '') ?? ''
  if (first.includes('\t')) return '\t'
  const count = (sign: string): number => first.split(sign).length
  return count(';') > count(',') ? ';' : ','
}

/** Splits text into cells as spreadsheets write them: quoted cells may contain separators, quotes and line ends. */
export function splitCells(text: string): { line: number; cells: string[] }[] {
  const separator = findSeparator(text)
  const rows: { line: number; cells: string[] }[] = []
  let cells: string[] = []
  let cell = ''
  let quoted = false
  let line = 1
  let begun = 1
  const end = (): void => {
    cells.push(cell)
    cell = ''
  }
  const endRow = (): void => {
    end()
    rows.push({ line: begun, cells })
    cells = []
    begun = line + 1
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (quoted) {
      if (sign === '"' && text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else if (sign === '"') quoted = false
      else {
        cell += sign
        if (sign === '\n') line += 1
      }
    } else if (sign === '"' && cell.trim() === '') {
      quoted = true
      cell = ''
    } else if (sign === separator) end()
    else if (sign === '\n') {
      endRow()
      line += 1
    } else if (sign !== '\r') cell += sign
  }
  if (cell !== '' || cells.length > 0) endRow()
  return rows
}
