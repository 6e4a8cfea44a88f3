// Short names for the core's types of conflicts.
import type { Commands } from '../../../api/generated'

export type ConflictPage = Commands['conflicts_page']['response']
export type ConflictRow = ConflictPage['rows'][number]
export type FieldFork = ConflictRow['forks'][number]
export type DisputeKind = ConflictRow['dispute']
export type RecordKey = ConflictRow['key']
export type FieldCount = ConflictPage['fields'][number]
/** The standing answer for a column. */
export type ConflictRule = FieldCount['rule']
/** The answer for one field of a record. */
export type ConflictAnswer = NonNullable<FieldFork['answer']>
export type ConfirmedOptOutRemoval = NonNullable<Commands['conflicts_choose']['request']['confirmed']>
/** The answer for a list or an opt-out as a whole. */
export type ConflictChoice = NonNullable<ConflictRow['choice']>
export type ConflictSide = 'base' | 'mine' | 'theirs'

/** Returns a record's key as a string, for keyed lists. */
export function toKeyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}
