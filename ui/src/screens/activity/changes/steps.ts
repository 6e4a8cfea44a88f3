// The timeline: its days, the steps that can be undone, and the way back to a step.
import { call } from '../../../api/call'
import type { Commands } from '../../../api/generated'
import { formatDay } from '../../../lib/format'

export type ActivityEntry = Commands['activity_page']['response']['items'][number]
export type ActivityStep = ActivityEntry['step']
export type StepSource = ActivityStep['source']
export type ChangedNoun = ActivityEntry['changes'][number]['noun']

export const SOURCES = ['user', 'import', 'sync', 'interface', 'operator', 'job'] as const
export const NOUNS = [
  'list',
  'contact',
  'custom_field',
  'opt_out',
  'short_link',
  'sender',
  'asset',
  'account',
] as const

/** Groups entries by the day on which they happened, in the given order. */
export function groupByDay(entries: readonly ActivityEntry[]): { day: string; entries: ActivityEntry[] }[] {
  const days: { day: string; entries: ActivityEntry[] }[] = []
  for (const entry of entries) {
    const day = formatDay(entry.step.at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

export type KindOfChange = Pick<ActivityEntry['changes'][number], 'noun' | 'action' | 'count'>

/** Counts the added, changed and deleted records of each noun. A record counts once, however often it changed. A
 *  list counts as changed only if the list itself changed, not if only its contacts did. */
export function countChangesByKind(changes: ActivityEntry['changes']): KindOfChange[] {
  const kinds = new Map<string, KindOfChange & { uids: Set<string> }>()
  for (const { noun, action, uid, count } of changes) {
    const kind = kinds.get(`${noun} ${action}`) ?? { noun, action, count: 0, uids: new Set<string>() }
    if (uid === null || count > 1 || !kind.uids.has(uid)) kind.count += count
    if (uid !== null) kind.uids.add(uid)
    kinds.set(`${noun} ${action}`, kind)
  }
  const counted = [...kinds.values()].filter(({ count }) => count > 0)
  const isAboutContacts = counted.some(({ noun }) => noun === 'contact')
  return counted.filter(({ noun, action }) => !(isAboutContacts && noun === 'list' && action === 'updated'))
}

/** Returns the run that a step belongs to. */
export function getRunOf({ act, subject }: Pick<ActivityStep, 'act' | 'subject'>): string | undefined {
  return (act === 'sync_push' || act === 'sync_undo') && subject !== null ? subject : undefined
}

/** Returns whether undo can reach this step. */
export function canUndo(step: ActivityStep): boolean {
  return step.state === 'done' && step.is_remembered && (step.source === 'user' || step.source === 'import')
}

const PAGE = 200

/** Returns the steps that are undone on the way back to `target`, including `target`, newest first. */
export async function loadStepsBackTo(target: number): Promise<ActivityStep[]> {
  const found: ActivityStep[] = []
  for (let page_number = 1; ; page_number += 1) {
    const { items, total_pages } = await call('activity_page', {
      source: null,
      noun: null,
      text: null,
      uid: null,
      from: null,
      to: null,
      page_number,
      page_size: PAGE,
    })
    found.push(...items.map(({ step }) => step).filter((step) => step.id >= target && canUndo(step)))
    if (page_number >= total_pages || items.some(({ step }) => step.id < target)) return found
  }
}

/** Returns the start or the end of a day in the user's time zone. */
export function toDayBound(day: string, end: 'begin' | 'end'): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const at = new Date(`${day}T${end === 'begin' ? '00:00:00' : '23:59:59'}`)
  return Number.isNaN(at.getTime()) ? null : at.toISOString().replace(/\.\d{3}Z$/, 'Z')
}
