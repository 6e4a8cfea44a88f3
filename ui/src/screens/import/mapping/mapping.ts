// Mappings. The user sees them by column, the core takes them by field. All functions are pure.
import type { ImportColumn, ImportPart as Part } from '../../../api/generated'
import { splitName } from '../../../parts/contact/person-name'
import type { ColumnConsent, Mapping, MappingPiece, MappingTarget } from '../session/types'

export const NUMBERS: ReadonlySet<string> = new Set(['phone_number', 'whatsapp_id'])

/** The number of the part that is the title in a whole name, if there is one. */
export const TITLE_PART = 0

/** The default separator of composed values. */
const USUAL_BETWEEN = ' '

/** A use of a column. */
export interface ColumnUse {
  /** The positions of the target and of the piece in it. */
  readonly target: number
  readonly piece: number
  readonly part: Part | null
}

export const createColumnPiece = (column: number, part: Part | null = null): MappingPiece => ({
  column: { column, part },
})

export function getColumn(piece: MappingPiece): number | undefined {
  return 'column' in piece ? piece.column.column : undefined
}

export function createTarget(
  field: string,
  pieces: readonly MappingPiece[],
  label: string | null = null,
): MappingTarget {
  return {
    field,
    new_field: label,
    pieces: [...pieces],
    pick: 'all',
    between: USUAL_BETWEEN,
    region: null,
    rule: null,
  }
}

/** Returns the uses of a column; one that is split has several. */
export function findUses({ targets }: Mapping, column: number): ColumnUse[] {
  return targets.flatMap(({ pieces }, target) =>
    pieces.flatMap((each, piece) =>
      getColumn(each) === column && 'column' in each ? [{ target, piece, part: each.column.part }] : [],
    ),
  )
}

/** Returns the targets that a column fills, alone or with others. */
export function findTargets({ targets }: Mapping, column: number): MappingTarget[] {
  return targets.filter(({ pieces }) => pieces.some((piece) => getColumn(piece) === column))
}

/** Returns whether a single whole cell fills the field. */
export function isWholeCell({ pieces }: MappingTarget): boolean {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined && 'column' in first && first.column.part === null
}

/** Returns whether a value is composed, split or constant, so that a line of the table cannot show it. */
export const isComposed = (target: MappingTarget): boolean => !isWholeCell(target)

export function putTarget(mapping: Mapping, at: number | undefined, target: MappingTarget): Mapping {
  const targets = [...mapping.targets]
  if (at === undefined) targets.push(target)
  else targets[at] = target
  return { ...mapping, targets }
}

export function removeTarget(mapping: Mapping, at: number): Mapping {
  return { ...mapping, targets: mapping.targets.filter((_, place) => place !== at) }
}

/** Removes a column from all targets, and removes the targets that have nothing else. */
export function removeColumn(mapping: Mapping, column: number): Mapping {
  const targets = mapping.targets
    .map((target) => ({ ...target, pieces: target.pieces.filter((piece) => getColumn(piece) !== column) }))
    .filter(({ pieces }) => pieces.length > 0)
  return { ...mapping, targets }
}

/** Assigns a column to a field, after anything that fills the field already. */
export function assignColumn(mapping: Mapping, column: number, field: string): Mapping {
  const rest = removeColumn(mapping, column)
  const at = rest.targets.findIndex((target) => target.field === field)
  const there = rest.targets[at]
  if (there === undefined) return putTarget(rest, undefined, createTarget(field, [createColumnPiece(column)]))
  // For several phone numbers, the first valid one is taken; texts are joined.
  const pick = there.pick === 'all' && NUMBERS.has(field) ? 'first' : there.pick
  return putTarget(rest, at, { ...there, pick, pieces: [...there.pieces, createColumnPiece(column)] })
}

/** Assigns a column to a new custom field. */
export function assignNewField(mapping: Mapping, column: number, label: string): Mapping {
  return putTarget(
    removeColumn(mapping, column),
    undefined,
    createTarget('', [createColumnPiece(column)], label),
  )
}

/** Returns the value of a target in a row, composed as the core does it. */
export function composeValue({ pieces, pick, between }: MappingTarget, cells: readonly string[]): string {
  const texts = pieces.map((piece) => {
    if ('constant' in piece) return piece.constant.text
    const whole = trimCell(cells[piece.column.column] ?? '')
    return piece.column.part === null || whole === '' ? whole : getPart(whole, piece.column.part)
  })
  const filled = texts.filter((text) => text !== '')
  // Only the core knows which numbers are valid and distinct.
  if (pick === 'first') return filled[0] ?? ''
  return pick === 'other' ? (filled[1] ?? '') : filled.join(between)
}

/** Trims a cell and removes the mark that keeps spreadsheets from reading it as a formula. */
function trimCell(cell: string): string {
  return cell.replace(/^'(?=[=+\-@\t\r])/, '').trim()
}

export function getPart(text: string, { separator, number, and_rest }: Part): string {
  if (separator === '') return text
  if (number === TITLE_PART) return splitName(text).title
  // Several spaces between words count as one.
  const parts =
    separator === ' ' ? text.trim().split(/\s+/) : text.split(separator).map((part) => part.trim())
  const at = number > 0 ? number - 1 : parts.length + number
  if (at < 0 || at >= parts.length) return ''
  return and_rest ? parts.slice(at).join(separator) : (parts[at] ?? '')
}

/** Returns whether a column fills a field or contains opt-outs. */
export const isUsed = (mapping: Mapping, column: number): boolean =>
  findUses(mapping, column).length > 0 || findConsent(mapping, column) !== undefined

/** Leaves columns out explicitly; one that is used again is removed from the list. */
export function leaveColumnsOut(mapping: Mapping, columns: readonly number[]): Mapping {
  const left = new Set([...mapping.left_out, ...columns])
  return { ...mapping, left_out: [...left].filter((column) => !isUsed(mapping, column)) }
}

/** Returns the unused columns that seem to contain opt-outs and were not left out explicitly. */
export function findOpenConsents(mapping: Mapping, columns: readonly ImportColumn[]): number[] {
  const open = columns.filter(({ column, is_consent }) => is_consent && !isUsed(mapping, column))
  return open.map(({ column }) => column).filter((column) => !mapping.left_out.includes(column))
}

/** Returns the columns that fill a field by a guess and contain values that may be opt-outs. */
export function findOpenFields(mapping: Mapping, columns: readonly ImportColumn[]): number[] {
  const open = columns.filter(
    ({ column, has_opt_outs }) =>
      has_opt_outs && findUses(mapping, column).length > 0 && findConsent(mapping, column) === undefined,
  )
  return open.map(({ column }) => column).filter((column) => !mapping.named.includes(column))
}

/** Records that the user confirmed the fields of these columns. */
export const confirmFields = (mapping: Mapping, columns: readonly number[]): Mapping => ({
  ...mapping,
  named: [...new Set([...mapping.named, ...columns])],
})

/** Returns how many columns are used. */
export function countUsedColumns(mapping: Mapping, columns: number): number {
  return Array.from({ length: columns }, (_, column) => column).filter((column) => isUsed(mapping, column))
    .length
}

/** Returns the target that an error path names: `targets[3].field` is about target 3. */
export function parseTargetPath(path: string): number | undefined {
  const place = /^targets\[(\d+)\]/.exec(path)?.[1]
  return place === undefined ? undefined : Number(place)
}

export function parseConsentPath(path: string): number | undefined {
  const place = /^consents\[(\d+)\]/.exec(path)?.[1]
  return place === undefined ? undefined : Number(place)
}

/** Returns the opt-outs that a column defines. */
export function findConsent({ consents }: Mapping, column: number): ColumnConsent | undefined {
  return consents.find(({ pieces }) => pieces.some((piece) => getColumn(piece) === column))
}

/** The word that stands for any value. */
export const ANY_VALUE = '*'

/** Records that in these columns only the chosen values are opt-outs. Returns the same mapping if that is recorded. */
export function keepOtherValues(mapping: Mapping, columns: readonly number[]): Mapping {
  const open = columns.flatMap((column) => findConsent(mapping, column) ?? [])
  if (open.every(({ keeps }) => keeps.includes(ANY_VALUE))) return mapping
  const consents = mapping.consents.map((one) =>
    open.includes(one) ? { ...one, keeps: [...new Set([...one.keeps, ANY_VALUE])] } : one,
  )
  return { ...mapping, consents }
}

export function putConsent(mapping: Mapping, column: number, consent: ColumnConsent | undefined): Mapping {
  const rest = mapping.consents.filter((one) => one !== findConsent(mapping, column))
  return { ...mapping, consents: consent === undefined ? rest : [...rest, consent] }
}
