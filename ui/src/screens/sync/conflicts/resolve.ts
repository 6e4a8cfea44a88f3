// The effect of an answer or a rule on a conflict, and the next field to resolve.
import type { ConflictAnswer, FieldCount, FieldFork, ConflictRow, ConflictRule } from './types'

export const RULES: readonly ConflictRule[] = ['ask', 'mine', 'theirs', 'non_empty', 'longer']

/** Returns the resulting value of the field; undefined while it is unresolved. */
export function getResult({ answer, base, mine, theirs }: FieldFork): { value: string | null } | undefined {
  if (answer === null) return undefined
  if (answer.answer === 'value') return { value: answer.value }
  return { value: { base, mine, theirs }[answer.answer] }
}

/** Returns how many records a rule would resolve now. */
export function countResolvedBy(rule: ConflictRule, { settles }: Pick<FieldCount, 'settles'>): number {
  return rule === 'ask' ? 0 : settles[rule]
}

/** Returns the next unresolved field after this one, continuing from the start; the first field if all are resolved. */
export function findNextOpen(forks: readonly FieldFork[], after?: string): string | undefined {
  const at = forks.findIndex(({ field }) => field === after)
  const around = [...forks.slice(at + 1), ...forks.slice(0, at + 1)]
  return (around.find(({ answer }) => answer === null) ?? forks[0])?.field
}

export function isSame(one: ConflictAnswer | null, other: ConflictAnswer): boolean {
  if (one?.answer !== other.answer) return false
  return one.answer !== 'value' || other.answer !== 'value' || one.value === other.value
}

/** Returns the next row without a decision, after this one and then from the start. */
export function findNextUndecided<T extends Pick<ConflictRow, 'choice'>>(
  rows: readonly T[],
  after: number,
): T | undefined {
  return [...rows.slice(after + 1), ...rows.slice(0, after + 1)].find(({ choice }) => choice === null)
}

/** Returns how many fields of a row are resolved. */
export function countDecided({ forks, choice }: Pick<ConflictRow, 'forks' | 'choice'>): number {
  return choice === null ? forks.filter(({ answer }) => answer !== null).length : 1
}
