// What is in the trash, as the commands tell it.
import type { Commands } from '../../api/generated'

export type Step = Commands['trash_page']['response']['items'][number]

/** What can be in the trash. */
export const NOUNS = ['list', 'contact', 'custom_field', 'opt_out', 'short_link', 'sender', 'asset'] as const

/** How many things the steps deleted together: what has to be typed before they go for good. */
export function thingsIn(steps: readonly Pick<Step, 'count'>[]): number {
  // A custom field that no contact had a value in is one thing too.
  return steps.reduce((sum, { count }) => sum + Math.max(1, count), 0)
}

/** A number as people type it, with or without separators; undefined for anything else. */
export function typedNumber(text: string): number | undefined {
  const digits = text.replaceAll(/[\s.,'’\u00a0\u202f]/gu, '')
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}
