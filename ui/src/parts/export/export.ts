// Exports contacts to a file. On a desktop the core writes it; otherwise the core stores it and the page downloads it.
import { call, callBytes } from '../../api/call'
import type { ExportChoice, ExportFormat, ExportWhat } from '../../api/generated'
import { download } from '../save-file'

/** The contacts that can be exported, and the name of the file. */
export interface Scope {
  id: string
  title: string
  what: ExportWhat
  name: string
  /** Whether they belong to several lists. */
  hasLists?: boolean
}

export type Form = 'csv' | 'xlsx' | 'vcard' | 'jsonl' | 'seed'

export interface Choices {
  form: Form
  delimiter: 'comma' | 'semicolon' | 'tab'
  version: 'vcard3' | 'vcard4'
  headings: boolean
  mark: boolean
}

// Without a byte order mark, older spreadsheets read a CSV file in the system's own encoding.
export const USUAL: Choices & Record<string, string | boolean> = {
  form: 'csv',
  delimiter: 'comma',
  version: 'vcard4',
  headings: true,
  mark: true,
}

export function formatOf({ form, delimiter, version, mark }: Choices, isGuarded: boolean): ExportFormat {
  if (form === 'csv') return { csv: { delimiter, is_guarded: isGuarded, has_mark: mark } }
  return form === 'vcard' ? version : form
}

/** Returns whether the format is a table, which can have headings. */
export const isTable = (form: Form): boolean => form === 'csv' || form === 'xlsx'

const PART = 4 << 20
const NOT_IN_NAMES = /[\\/:*?"<>|\p{Cc}]+/gu

export type Exported =
  { outcome: 'saved' | 'downloaded'; name: string; rows: number } | { outcome: 'cancelled' }

/** Returns a file name that every system accepts. */
export function fileName(title: string): string {
  const clean = title.replaceAll(NOT_IN_NAMES, '-').trim()
  return clean === '' ? 'contacts' : clean
}

export async function runExport(request: ExportChoice, title: string): Promise<Exported> {
  const told = await call('export_run', { export: request, name: fileName(title) })
  const { outcome, path, file, bytes, rows, name } = told
  if (outcome === 'cancelled') return { outcome }
  if (file === null) return { outcome: 'saved', name: path ?? name, rows }
  const parts: ArrayBuffer[] = []
  for (let from = 0; from < bytes; from += PART)
    parts.push(await callBytes('export_part', { file, from, count: PART }))
  await call('export_discard', { file })
  return { outcome: 'downloaded', name: download(name, new Blob(parts)), rows }
}
