// Exports contacts to a file. On a desktop the core writes it; otherwise the core stores it and the page downloads it.
import { call, callBytes } from '../../api/call'
import type { ExportChoice, ExportFormat, ExportWhat } from '../../api/generated'
import { downloadFile } from '../save-file'

/** The contacts that can be exported, and the name of the file. */
export interface ExportScope {
  id: string
  title: string
  what: ExportWhat
  name: string
  /** Whether they belong to several lists. */
  hasLists?: boolean
}

export type ExportForm = 'csv' | 'xlsx' | 'vcard' | 'jsonl' | 'seed'

export interface ExportOptions {
  form: ExportForm
  delimiter: 'comma' | 'semicolon' | 'tab'
  version: 'vcard3' | 'vcard4'
  headings: boolean
  mark: boolean
}

// Without a byte order mark, older spreadsheets read a CSV file in the system's own encoding.
export const DEFAULT_OPTIONS: ExportOptions & Record<string, string | boolean> = {
  form: 'csv',
  delimiter: 'comma',
  version: 'vcard4',
  headings: true,
  mark: true,
}

export function toExportFormat(
  { form, delimiter, version, mark }: ExportOptions,
  isGuarded: boolean,
): ExportFormat {
  if (form === 'csv') return { csv: { delimiter, is_guarded: isGuarded, has_mark: mark } }
  return form === 'vcard' ? version : form
}

/** Returns whether the format is a table, which can have headings. */
export const isTableForm = (form: ExportForm): boolean => form === 'csv' || form === 'xlsx'

const PART = 4 << 20
const NOT_IN_NAMES = /[\\/:*?"<>|\p{Cc}]+/gu

export type ExportResult =
  { outcome: 'saved' | 'downloaded'; name: string; rows: number } | { outcome: 'cancelled' }

/** Returns a file name that every system accepts. */
export function toFileName(title: string): string {
  const clean = title.replaceAll(NOT_IN_NAMES, '-').trim()
  return clean === '' ? 'contacts' : clean
}

export async function runExport(request: ExportChoice, title: string): Promise<ExportResult> {
  const exported = await call('export_run', { export: request, name: toFileName(title) })
  const { outcome, path, file, bytes, rows, name } = exported
  if (outcome === 'cancelled') return { outcome }
  if (file === null) return { outcome: 'saved', name: path ?? name, rows }
  const parts: ArrayBuffer[] = []
  for (let from = 0; from < bytes; from += PART)
    parts.push(await callBytes('export_part', { file, from, count: PART }))
  await call('export_discard', { file })
  return { outcome: 'downloaded', name: downloadFile(name, new Blob(parts)), rows }
}
