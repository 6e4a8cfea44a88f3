// Which part of cleaning up was in view last, list by list: after a look at a record one goes on there.

export type Part = 'duplicates' | 'mending'

const parts = new Map<string, Part>()

/** With a part, keeps it. */
export function lastPart(list: string, part?: Part): Part {
  if (part !== undefined) parts.set(list, part)
  return parts.get(list) ?? 'duplicates'
}
