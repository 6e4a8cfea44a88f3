// A column cut apart: which part goes into which field; to and from the form that the core takes.
import type { ImportColumn } from '../../../api/generated'
import type { Mapping } from '../session/types'
import { IGNORE } from './fields'
import { columnPiece, isMade, newTarget, usesOf, withoutColumn } from './mapping'

export interface CutPart {
  readonly field: string
}

/** Likely signs between parts, the surest first. */
const LIKELY = [', ', ',', ';', ' / ', '/', '|', ' ']

/** What a column is cut at, as its values look. */
export function likelySeparator(samples: readonly string[]): string {
  const holds = (sign: string): number => samples.filter((text) => text.trim().includes(sign)).length
  return LIKELY.find((sign) => samples.length > 0 && holds(sign) * 2 > samples.length) ?? ' '
}

/** How a column is cut now; of one that is not, how it might be. */
export function cutOf(
  mapping: Mapping,
  column: ImportColumn,
): { separator: string; parts: readonly CutPart[] } {
  const cuts = usesOf(mapping, column.column).filter(({ part }) => part !== null)
  const separator = cuts[0]?.part?.separator ?? likelySeparator(column.facts.samples)
  const parts: CutPart[] = []
  for (const { target, part } of cuts) {
    if (part === null || part.number < 1) continue
    while (parts.length < part.number) parts.push({ field: IGNORE })
    parts[part.number - 1] = { field: mapping.targets[target]?.field ?? IGNORE }
  }
  return { separator, parts }
}

/** Puts the parts of a column into their fields, each alone; the last one takes along what follows. */
export function cutInto(
  mapping: Mapping,
  column: number,
  separator: string,
  fields: readonly string[],
): Mapping {
  const rest = withoutColumn(mapping, column)
  const taken = new Set(fields.filter((field) => field !== IGNORE))
  const last = fields.findLastIndex((field) => field !== IGNORE)
  // A field has one source: what filled it before gives way.
  const kept = rest.targets.filter(({ field }) => field === '' || !taken.has(field))
  const targets = [...taken].map((field) => {
    const at = fields.indexOf(field)
    return newTarget(field, [columnPiece(column, { separator, number: at + 1, and_rest: at === last })])
  })
  return { ...rest, targets: [...kept, ...targets] }
}

/** Whether all uses of a column are parts of it, each alone in its field. */
export function isCut(mapping: Mapping, column: number): boolean {
  const uses = usesOf(mapping, column)
  return (
    uses.length > 0 &&
    uses.every(({ target, part }) => {
      const of = mapping.targets[target]
      return part !== null && part.number > 0 && of !== undefined && isMade(of) && of.pieces.length === 1
    })
  )
}
