// Splits a column into parts that fill different fields; converts to and from the core's form.
import type { ImportColumn } from '../../../api/generated'
import type { Mapping, MappingTarget } from '../session/types'
import { IGNORE } from './fields'
import { createColumnPiece, isComposed, createTarget, findUses, removeColumn, TITLE_PART } from './mapping'

export interface SplitPart {
  readonly field: string
}

/** Likely separators, the most reliable first. */
const LIKELY = [', ', ',', ';', ' / ', '/', '|', ' ']

/** Returns the separator that the values suggest. */
export function guessSeparator(samples: readonly string[]): string {
  const countSamplesWith = (sign: string): number =>
    samples.filter((text) => text.trim().includes(sign)).length
  return LIKELY.find((sign) => samples.length > 0 && countSamplesWith(sign) * 2 > samples.length) ?? ' '
}

/** Returns how a column is split, or a suggestion if it is not. */
export function readSplit(
  mapping: Mapping,
  column: ImportColumn,
): { separator: string; parts: readonly SplitPart[] } {
  const cuts = findUses(mapping, column.column).filter(({ part }) => part !== null)
  const separator = cuts[0]?.part?.separator ?? guessSeparator(column.facts.samples)
  const parts: SplitPart[] = []
  for (const { target, part } of cuts) {
    if (part === null || part.number < 1) continue
    while (parts.length < part.number) parts.push({ field: IGNORE })
    parts[part.number - 1] = { field: mapping.targets[target]?.field ?? IGNORE }
  }
  return { separator, parts }
}

/** Assigns the parts of a column to their fields. The last part includes the rest of the text, and the title in front of
 *  a whole name keeps its field. */
export function splitColumn(
  mapping: Mapping,
  column: number,
  separator: string,
  fields: readonly string[],
): Mapping {
  const titles = findTitles(mapping, column)
  const rest = removeColumn(mapping, column)
  const taken = new Set(fields.filter((field) => field !== IGNORE))
  const last = fields.findLastIndex((field) => field !== IGNORE)
  // A field has one source, so its earlier source is removed.
  const kept = rest.targets.filter(({ field }) => field === '' || !taken.has(field))
  const targets = [...taken].map((field) => {
    const at = fields.indexOf(field)
    return createTarget(field, [
      createColumnPiece(column, { separator, number: at + 1, and_rest: at === last }),
    ])
  })
  const titled = titles.filter(({ field }) => !taken.has(field))
  return { ...rest, targets: [...kept, ...titled, ...targets] }
}

/** Returns the fields that the titles of whole names in a column fill alone. */
export function findTitles(mapping: Mapping, column: number): MappingTarget[] {
  const uses = findUses(mapping, column).filter(({ part }) => part?.number === TITLE_PART)
  return uses
    .flatMap(({ target }) => mapping.targets[target] ?? [])
    .filter(({ pieces }) => pieces.length === 1)
}

/** Returns whether every use of a column is a part that fills its field alone. */
export function isSplit(mapping: Mapping, column: number): boolean {
  const uses = findUses(mapping, column)
  return (
    uses.length > 0 &&
    uses.every(({ target, part }) => {
      const of = mapping.targets[target]
      return (
        part !== null &&
        part.number >= TITLE_PART &&
        of !== undefined &&
        isComposed(of) &&
        of.pieces.length === 1
      )
    })
  )
}
