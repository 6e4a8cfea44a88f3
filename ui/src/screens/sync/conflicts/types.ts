// What the core tells of disputes, under the names this screen uses.
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

/** One text for a record, as a list wants it. */
export function keyText({ noun, id }: RecordKey): string {
  return `${noun} ${id}`
}
