// What the core tells of changes that wait, under the names this screen uses.
import type { Commands } from '../../../api/generated'

export type Summary = Commands['changes_summary']['response']
export type Filter = Commands['changes_summary']['request']['filter']
export type Group = Summary['groups'][number]
export type Kind = Group['kinds'][number]['kind']
export type Noun = Group['noun']
export type Row = Commands['changes_rows']['response']['rows'][number]
export type Cell = Row['cells'][number]
export type RecordKey = Row['key']

export const NO_FILTER: Filter = { text: '', source: null, field: null, since: null, step: null }

export function isFiltered(filter: Filter): boolean {
  return Object.keys(NO_FILTER).some((key) => filter[key as keyof Filter] !== NO_FILTER[key as keyof Filter])
}

/** One text for a record, as a table wants it. */
export function keyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}

/** How one looks at changes of a field: one after the other, or before and after beside each other. */
export type View = 'inline' | 'beside'
