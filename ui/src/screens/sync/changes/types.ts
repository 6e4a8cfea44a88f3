// The core's types for unsent changes, under the names of this screen.
import type { Commands } from '../../../api/generated'

export type ChangeSummary = Commands['changes_summary']['response']
export type ChangeFilter = Commands['changes_summary']['request']['filter']
export type ChangeGroup = ChangeSummary['groups'][number]
export type ChangeKind = ChangeGroup['kinds'][number]['kind']
export type ChangeNoun = ChangeGroup['noun']
export type ChangeRow = Commands['changes_rows']['response']['rows'][number]
export type ChangeCell = ChangeRow['cells'][number]
export type RecordKey = ChangeRow['key']

export const NO_FILTER: ChangeFilter = { text: '', source: null, field: null, since: null, step: null }

export function isFiltered(filter: ChangeFilter): boolean {
  return Object.keys(NO_FILTER).some(
    (key) => filter[key as keyof ChangeFilter] !== NO_FILTER[key as keyof ChangeFilter],
  )
}

/** Returns the key of a record as one string, for keyed lists and sets. */
export function toKeyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}

/** How the change of a field is shown: old and new value one after the other, or side by side. */
export type ChangeView = 'inline' | 'beside'
