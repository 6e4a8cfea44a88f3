// Which part of the cleanup was in view last for each list, so that the user returns to it after viewing a record.

export type CleanPart = 'duplicates' | 'mending'

const parts = new Map<string, CleanPart>()

export function getLastCleanPart(list: string): CleanPart {
  return parts.get(list) ?? 'duplicates'
}

export function storeLastCleanPart(list: string, part: CleanPart): void {
  parts.set(list, part)
}
