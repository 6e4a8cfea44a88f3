// Which part of the cleanup was in view last for each list, so that the user returns to it after viewing a record.

export type CleanPart = 'duplicates' | 'mending'

const parts = new Map<string, CleanPart>()

/** Returns the last part of a list; with a part, stores it first. */
export function lastPart(list: string, part?: CleanPart): CleanPart {
  if (part !== undefined) parts.set(list, part)
  return parts.get(list) ?? 'duplicates'
}
