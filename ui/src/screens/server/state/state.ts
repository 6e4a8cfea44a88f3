// Snapshots of a world and the differences between them.
import type { Schemas } from '../admin-request'

export type Snapshot = Schemas['Snapshot']

/** The numbers of the oldest and the newest request in the journal; 0 if it is empty. */
export interface JournalEnds {
  first: number
  last: number
}

type RecordOnOneSide = Schemas['DiffRecords']['items'][number]
type DifferentRecords = Schemas['ResourceDiff']

export type DifferenceKind = 'added' | 'removed' | 'changed'

/** A line of the table of differences: a record, or a field of one that exists on both sides. */
export interface DifferenceLine {
  key: string
  kind: DifferenceKind
  record: string
  field: string
  before: string
  after: string
}

type ArrangementChange = Schemas['ArrangementChange']
export type ArrangedPart = ArrangementChange['part']

/** A line of the table of what differs besides the records: a setting, a field of a policy, a rule, a receiver. */
export interface ArrangementLine {
  key: string
  part: ArrangedPart
  name: string
  before: string
  after: string
}

function formatJson(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the name of a record that exists on one side only. */
function getRecordName({ key, fields }: RecordOnOneSide): string {
  const name = ['name', 'phone', 'number', 'whatsapp', 'email']
    .map((one) => formatJson(fields[one]))
    .find((one) => one !== '')
  return name ?? key
}

/** Returns the values of a changed field on both sides; the server omits a side without a value. */
function readBothSides(values: unknown): { before: string; after: string } {
  const sides = new Map(Object.entries(Object(values)))
  return { before: formatJson(sides.get('before')), after: formatJson(sides.get('after')) }
}

export function listDifferences({ added, removed, changed }: DifferentRecords): DifferenceLine[] {
  const toOneSidedLines = (kind: DifferenceKind, items: readonly RecordOnOneSide[]): DifferenceLine[] =>
    items.map((item) => ({
      key: `${kind} ${item.key}`,
      kind,
      record: item.key,
      field: '',
      before: kind === 'removed' ? getRecordName(item) : '',
      after: kind === 'added' ? getRecordName(item) : '',
    }))
  return [
    ...toOneSidedLines('added', added.items),
    ...toOneSidedLines('removed', removed.items),
    ...changed.items.flatMap(({ key, fields }) =>
      Object.entries(fields).map(([field, values]) => ({
        key: `changed ${key} ${field}`,
        kind: 'changed' as const,
        record: key,
        field,
        ...readBothSides(values),
      })),
    ),
  ]
}

export function listArrangementChanges(changes: readonly ArrangementChange[]): ArrangementLine[] {
  return changes.map(({ part, name, from, to }) => ({
    key: `${part} ${name}`,
    part,
    name,
    before: formatJson(from),
    after: formatJson(to),
  }))
}
