// What an answer makes of a dispute, what a rule would settle, and where one goes from here.
import type { Answer, FieldCount, Fork, Row, Rule } from './types'

export const RULES: readonly Rule[] = ['ask', 'mine', 'theirs', 'non_empty', 'longer']

/** What the field will be; undefined while nobody decided. */
export function resultOf({ answer, base, mine, theirs }: Fork): { value: string | null } | undefined {
  if (answer === null) return undefined
  if (answer.answer === 'value') return { value: answer.value }
  return { value: { base, mine, theirs }[answer.answer] }
}

/** How many records a rule would decide about now. */
export function settledBy(rule: Rule, { settles }: Pick<FieldCount, 'settles'>): number {
  return rule === 'ask' ? 0 : settles[rule]
}

/** The next field nobody decided about, after this one and then from the start; the first field if all are decided. */
export function nextOpen(forks: readonly Fork[], after?: string): string | undefined {
  const at = forks.findIndex(({ field }) => field === after)
  const around = [...forks.slice(at + 1), ...forks.slice(0, at + 1)]
  return (around.find(({ answer }) => answer === null) ?? forks[0])?.field
}

export function isSame(one: Answer | null, other: Answer): boolean {
  if (one?.answer !== other.answer) return false
  return one.answer !== 'value' || other.answer !== 'value' || one.value === other.value
}

/** The next row that nobody decided about, after this one and then from the start. */
export function nextUndecided<T extends Pick<Row, 'choice'>>(
  rows: readonly T[],
  after: number,
): T | undefined {
  return [...rows.slice(after + 1), ...rows.slice(0, after + 1)].find(({ choice }) => choice === null)
}

/** How much of a row is decided. */
export function decided({ forks, choice }: Pick<Row, 'forks' | 'choice'>): number {
  return choice === null ? forks.filter(({ answer }) => answer !== null).length : 1
}
