// The texts for copies, for what the check found, and for what is held about a number.
import type { ComparedAccount, CopyOccasion, FaultArea, HeldKind, OverviewCounts } from '../../api/generated'
import { m } from '../../gen/words'

const OCCASIONS: Record<CopyOccasion, () => string> = {
  backup: m.safety_occasion_backup,
  daily: m.safety_occasion_daily,
  large_change: m.safety_occasion_large_change,
  pull: m.safety_occasion_pull,
  replacement: m.safety_occasion_replacement,
  upgrade: m.safety_occasion_upgrade,
}

const AREAS: Record<FaultArea, () => string> = {
  pages: m.safety_area_pages,
  log: m.safety_area_log,
  references: m.safety_area_references,
  schema: m.safety_area_schema,
  contact_counts: m.safety_area_contact_counts,
  custom_fields: m.safety_area_custom_fields,
  short_links: m.safety_area_short_links,
  opt_outs: m.safety_area_opt_outs,
}

const KINDS: Record<HeldKind, () => string> = {
  contacts: m.safety_kind_contacts,
  opt_outs: m.safety_kind_opt_outs,
  opt_out_history: m.safety_kind_opt_out_history,
  drafts: m.safety_kind_drafts,
  clicks: m.safety_kind_clicks,
  imports: m.safety_kind_imports,
  rejected_rows: m.safety_kind_rejected_rows,
  jobs: m.safety_kind_jobs,
  activity: m.safety_kind_activity,
  change_log: m.safety_kind_change_log,
  undo_memory: m.safety_kind_undo_memory,
  sync_state: m.safety_kind_sync_state,
  service_audit: m.safety_kind_service_audit,
  settings: m.safety_kind_settings,
  other: m.safety_kind_other,
}

export const getOccasionTitle = (occasion: CopyOccasion): string => OCCASIONS[occasion]()
export const getAreaTitle = (area: FaultArea): string => AREAS[area]()
export const getKindTitle = (kind: HeldKind): string => KINDS[kind]()

interface ComparedCount {
  title: string
  now: number
  restored: number
  /** How many records only one of the two has, or both with other values. */
  differing: number
}

/** Says how the connection to the service changes with a restore. */
export function describeConnection(now: ComparedAccount, restored: ComparedAccount): string | undefined {
  if (now.service === restored.service) return undefined
  if (restored.service !== null) return m.safety_restore_connects({ service: restored.service })
  return m.safety_restore_disconnects({ service: now.service ?? '' })
}

/** Returns the counts of an account and of a copy beside each other. */
export function compareCounts(
  now: OverviewCounts,
  restored: OverviewCounts,
  differing: OverviewCounts,
): ComparedCount[] {
  const rows: readonly [string, keyof OverviewCounts][] = [
    [m.frame_section_lists(), 'lists'],
    [m.safety_restore_contacts(), 'contacts'],
    [m.frame_section_fields(), 'custom_fields'],
    [m.frame_section_optouts(), 'opt_outs'],
    [m.frame_section_links(), 'short_links'],
    [m.frame_section_senders(), 'senders'],
  ]
  return rows.map(([title, key]) => ({
    title,
    now: now[key],
    restored: restored[key],
    differing: differing[key],
  }))
}
