// Contacts as a file: written by the core where there is a desktop, else put aside by it and fetched from here.
import { call, callBytes } from '../../api/call'
import type { ExportChoice, ExportFormat, ExportWhat } from '../../api/generated'
import { download } from '../save-file'

/** What can be exported, and what the file is called then. */
export interface Scope {
  id: string
  title: string
  what: ExportWhat
  name: string
  /** Contacts of several lists are among them. */
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

// Older spreadsheets read a file with commas as they read everything else, unless it says what it is.
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

/** Whether the rows stand in a table, which may have headings. */
export const isTable = (form: Form): boolean => form === 'csv' || form === 'xlsx'

const PART = 4 << 20
const NOT_IN_NAMES = /[\\/:*?"<>|\p{Cc}]+/gu

export type Exported =
  { outcome: 'saved' | 'downloaded'; name: string; rows: number } | { outcome: 'cancelled' }

/** A name that every system takes. */
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
