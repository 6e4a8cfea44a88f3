// Snapshots of a world and what differs between them.
import type { Schemas } from '../act'

export type Snapshot = Schemas['Snapshot']

/** The numbers of the oldest and the newest request that the journal keeps; 0 where it keeps none. */
export interface JournalEnds {
  first: number
  last: number
}

type RecordOnOneSide = Schemas['DiffRecords']['items'][number]
type DifferentRecords = Schemas['ResourceDiff']

export type Kind = 'added' | 'removed' | 'changed'

/** One line of a table of what differs: a record, or a field of one that is on both sides. */
export interface Line {
  key: string
  kind: Kind
  record: string
  field: string
  before: string
  after: string
}

function text(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What names a record that is on one side alone. */
function named({ key, fields }: RecordOnOneSide): string {
  const name = ['name', 'phone', 'number', 'whatsapp', 'email']
    .map((one) => text(fields[one]))
    .find((one) => one !== '')
  return name ?? key
}

/** A changed field is described as its values on both sides, each only if it is there. */
function bothSides(values: unknown): { before: string; after: string } {
  const sides = new Map(Object.entries(Object(values)))
  return { before: text(sides.get('before')), after: text(sides.get('after')) }
}

export function linesOf({ added, removed, changed }: DifferentRecords): Line[] {
  const alone = (kind: Kind, items: readonly RecordOnOneSide[]): Line[] =>
    items.map((item) => ({
      key: `${kind} ${item.key}`,
      kind,
      record: item.key,
      field: '',
      before: kind === 'removed' ? named(item) : '',
      after: kind === 'added' ? named(item) : '',
    }))
  return [
    ...alone('added', added.items),
    ...alone('removed', removed.items),
    ...changed.items.flatMap(({ key, fields }) =>
      Object.entries(fields).map(([field, values]) => ({
        key: `changed ${key} ${field}`,
        kind: 'changed' as const,
        record: key,
        field,
        ...bothSides(values),
      })),
    ),
  ]
}
