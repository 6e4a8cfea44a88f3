// The core's types for conflicts, under the names of this screen.
import type { Commands } from '../../../api/generated'

export type Page = Commands['conflicts_page']['response']
export type Row = Page['rows'][number]
export type Fork = Row['forks'][number]
export type Dispute = Row['dispute']
export type RecordKey = Row['key']
export type FieldCount = Page['fields'][number]
export type Rule = FieldCount['rule']
export type Answer = NonNullable<Fork['answer']>
export type Confirmed = NonNullable<Commands['conflicts_choose']['request']['confirmed']>
export type Choice = NonNullable<Row['choice']>
export type Side = 'base' | 'mine' | 'theirs'

/** Returns a text key of a record, as lists need. */
export function keyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}
