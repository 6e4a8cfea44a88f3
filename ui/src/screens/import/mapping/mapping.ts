// What goes where, as the person sees it: by column; and as the core takes it: by field. Pure functions on mappings.
import type { ImportColumn, ImportPart as Part } from '../../../api/generated'
import type { Consent, Mapping, Piece, Target } from '../session/types'

export const NUMBERS: ReadonlySet<string> = new Set(['phone_number', 'whatsapp_id'])

/** Stands between what is put together, until the person says otherwise. */
const USUAL_BETWEEN = ' '

/** One use of a column. */
export interface Use {
  /** Places of the target and of the piece in it. */
  readonly target: number
  readonly piece: number
  readonly part: Part | null
}

export const columnPiece = (column: number, part: Part | null = null): Piece => ({ column: { column, part } })

export function columnOf(piece: Piece): number | undefined {
  return 'column' in piece ? piece.column.column : undefined
}

export function newTarget(field: string, pieces: readonly Piece[], label: string | null = null): Target {
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

/** Where a column goes; a column that is cut apart goes to several places. */
export function usesOf({ targets }: Mapping, column: number): Use[] {
  return targets.flatMap(({ pieces }, target) =>
    pieces.flatMap((each, piece) =>
      columnOf(each) === column && 'column' in each ? [{ target, piece, part: each.column.part }] : [],
    ),
  )
}

/** What a column goes into, alone or with others. */
export function targetsOf({ targets }: Mapping, column: number): Target[] {
  return targets.filter(({ pieces }) => pieces.some((piece) => columnOf(piece) === column))
}

/** The whole cell alone fills the field. */
export function isPlain({ pieces }: Target): boolean {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined && 'column' in first && first.column.part === null
}

/** A value that is put together, cut apart or the same in each row: one that a line of the table cannot show. */
export const isMade = (target: Target): boolean => !isPlain(target)

export function withTarget(mapping: Mapping, at: number | undefined, target: Target): Mapping {
  const targets = [...mapping.targets]
  if (at === undefined) targets.push(target)
  else targets[at] = target
  return { ...mapping, targets }
}

export function withoutTarget(mapping: Mapping, at: number): Mapping {
  return { ...mapping, targets: mapping.targets.filter((_, place) => place !== at) }
}

/** Takes a column out of everything that it goes into; what has nothing else left, goes. */
export function withoutColumn(mapping: Mapping, column: number): Mapping {
  const targets = mapping.targets
    .map((target) => ({ ...target, pieces: target.pieces.filter((piece) => columnOf(piece) !== column) }))
    .filter(({ pieces }) => pieces.length > 0)
  return { ...mapping, targets }
}

/** A column goes into a field, behind what fills that field already. */
export function assigned(mapping: Mapping, column: number, field: string): Mapping {
  const rest = withoutColumn(mapping, column)
  const at = rest.targets.findIndex((target) => target.field === field)
  const there = rest.targets[at]
  if (there === undefined) return withTarget(rest, undefined, newTarget(field, [columnPiece(column)]))
  // Several telephones are tried one after the other; texts are put together.
  const pick = there.pick === 'all' && NUMBERS.has(field) ? 'first' : there.pick
  return withTarget(rest, at, { ...there, pick, pieces: [...there.pieces, columnPiece(column)] })
}

/** A column goes into a custom field that is made on the way. */
export function assignedNew(mapping: Mapping, column: number, label: string): Mapping {
  return withTarget(withoutColumn(mapping, column), undefined, newTarget('', [columnPiece(column)], label))
}

/** The value of a target in a row, as the core puts it together. */
export function valueOf({ pieces, pick, between }: Target, cells: readonly string[]): string {
  const texts = pieces.map((piece) => {
    if ('constant' in piece) return piece.constant.text
    const whole = bare(cells[piece.column.column] ?? '')
    return piece.column.part === null || whole === '' ? whole : partOf(whole, piece.column.part)
  })
  const filled = texts.filter((text) => text !== '')
  // Which number is valid, and which is another one, the core knows.
  if (pick === 'first') return filled[0] ?? ''
  return pick === 'other' ? (filled[1] ?? '') : filled.join(between)
}

/** Without blanks around it, and without the mark that keeps spreadsheets from taking it for a formula. */
function bare(cell: string): string {
  return cell.replace(/^'(?=[=+\-@\t\r])/, '').trim()
}

export function partOf(text: string, { separator, number, and_rest }: Part): string {
  if (separator === '') return text
  // Several spaces between words are one.
  const parts =
    separator === ' ' ? text.trim().split(/\s+/) : text.split(separator).map((part) => part.trim())
  const at = number > 0 ? number - 1 : parts.length + number
  if (at < 0 || at >= parts.length) return ''
  return and_rest ? parts.slice(at).join(separator) : (parts[at] ?? '')
}

/** Whether a column fills a field or says who opted out. */
export const isUsed = (mapping: Mapping, column: number): boolean =>
  usesOf(mapping, column).length > 0 || consentOf(mapping, column) !== undefined

/** Leaves columns out by name; one that is used again is not left out any more. */
export function leftOut(mapping: Mapping, columns: readonly number[]): Mapping {
  const left = new Set([...mapping.left_out, ...columns])
  return { ...mapping, left_out: [...left].filter((column) => !isUsed(mapping, column)) }
}

/** Columns that look as if they said who opted out, that go nowhere, and that were not left out by name. */
export function openConsents(mapping: Mapping, columns: readonly ImportColumn[]): number[] {
  const open = columns.filter(({ column, is_consent }) => is_consent && !isUsed(mapping, column))
  return open.map(({ column }) => column).filter((column) => !mapping.left_out.includes(column))
}

/** Columns that fill a field by a guess, and hold values that say who opted out. */
export function openFields(mapping: Mapping, columns: readonly ImportColumn[]): number[] {
  const open = columns.filter(
    ({ column, has_opt_outs }) =>
      has_opt_outs && usesOf(mapping, column).length > 0 && consentOf(mapping, column) === undefined,
  )
  return open.map(({ column }) => column).filter((column) => !mapping.named.includes(column))
}

/** The person says of columns that they fill their fields. */
export const withNamed = (mapping: Mapping, columns: readonly number[]): Mapping => ({
  ...mapping,
  named: [...new Set([...mapping.named, ...columns])],
})

/** How many columns go somewhere. */
export function usedColumns(mapping: Mapping, columns: number): number {
  return Array.from({ length: columns }, (_, column) => column).filter((column) => isUsed(mapping, column))
    .length
}

/** The places that the core's faults name: `targets[3].field` is about the target 3. */
export function targetAt(path: string): number | undefined {
  const place = /^targets\[(\d+)\]/.exec(path)?.[1]
  return place === undefined ? undefined : Number(place)
}

export function consentAt(path: string): number | undefined {
  const place = /^consents\[(\d+)\]/.exec(path)?.[1]
  return place === undefined ? undefined : Number(place)
}

/** What a column says of who opted out. */
export function consentOf({ consents }: Mapping, column: number): Consent | undefined {
  return consents.find(({ pieces }) => pieces.some((piece) => columnOf(piece) === column))
}

export function withConsent(mapping: Mapping, column: number, consent: Consent | undefined): Mapping {
  const rest = mapping.consents.filter((one) => one !== consentOf(mapping, column))
  return { ...mapping, consents: consent === undefined ? rest : [...rest, consent] }
}
