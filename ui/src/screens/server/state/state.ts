// Snapshots of a world and what differs between them, as the operator's document describes it.

export interface Snapshot {
  name: string
  /** By the world's clock. */
  at: string
  bytes: number
}

/** The numbers of the oldest and the newest request that the journal keeps; 0 where it keeps none. */
export interface JournalEnds {
  first: number
  last: number
}

/** A request of the journal, as far as it names a moment. */
export interface RequestLine {
  method: string
  url: string
  status: number | null
  at: string
}

interface Alone {
  key: string
  fields: Readonly<Record<string, unknown>>
}

interface Group<Item> {
  /** Of all, also those that are not told. */
  count: number
  items: readonly Item[]
}

interface Changed {
  key: string
  fields: Readonly<Record<string, { before?: unknown; after?: unknown }>>
}

export interface Resource {
  added: Group<Alone>
  removed: Group<Alone>
  changed: Group<Changed>
}

export interface Diff {
  from: string
  to: string
  is_empty: boolean
  added: number
  removed: number
  changed: number
  resources: Readonly<Record<string, Resource>>
}

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
function named({ key, fields }: Alone): string {
  const name = ['name', 'phone', 'number', 'whatsapp', 'email']
    .map((one) => text(fields[one]))
    .find((one) => one !== '')
  return name ?? key
}

export function linesOf({ added, removed, changed }: Resource): Line[] {
  const alone = (kind: Kind, items: readonly Alone[]): Line[] =>
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
      Object.entries(fields).map(([field, { before, after }]) => ({
        key: `changed ${key} ${field}`,
        kind: 'changed' as const,
        record: key,
        field,
        before: text(before),
        after: text(after),
      })),
    ),
  ]
}
