// The core's types for conflicts, under the names of this screen.
import type { Commands } from '../../../api/generated'

export type ConflictPage = Commands['conflicts_page']['response']
export type ConflictRow = ConflictPage['rows'][number]
export type FieldFork = ConflictRow['forks'][number]
export type ConflictDispute = ConflictRow['dispute']
export type RecordKey = ConflictRow['key']
export type FieldCount = ConflictPage['fields'][number]
export type ConflictRule = FieldCount['rule']
export type ConflictAnswer = NonNullable<FieldFork['answer']>
export type ConfirmedRemoval = NonNullable<Commands['conflicts_choose']['request']['confirmed']>
export type ConflictChoice = NonNullable<ConflictRow['choice']>
export type ConflictSide = 'base' | 'mine' | 'theirs'

/** Returns a text key of a record, as lists need. */
export function toKeyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}
