// The content of the trash, as the commands return it.
import type { Commands } from '../../api/generated'

export type TrashStep = Commands['trash_page']['response']['items'][number]

/** The kinds of records that can be in the trash. */
export const NOUNS = ['list', 'contact', 'custom_field', 'opt_out', 'short_link', 'sender', 'asset'] as const

/** Returns how many things the steps deleted together, which the user must type before they are deleted permanently. */
export function countThings(steps: readonly Pick<TrashStep, 'count'>[]): number {
  // A custom field without values still counts as one thing.
  return steps.reduce((sum, { count }) => sum + Math.max(1, count), 0)
}

/** Parses a typed number with or without separators; undefined for anything else. */
export function parseTypedNumber(text: string): number | undefined {
  const digits = text.replaceAll(/[\s.,'’\u00a0\u202f]/gu, '')
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}
