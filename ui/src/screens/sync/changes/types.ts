// The core's types for unsent changes, under the names of this screen.
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

/** Returns a text key of a record, as tables need. */
export function keyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}

/** How the change of a field is shown: old and new value one after the other, or side by side. */
export type View = 'inline' | 'beside'
