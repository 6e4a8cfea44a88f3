// Describes the sync, for its screen and for the frame.
import { translateFailure } from '../../api/sentences'
import type {
  OpenRunStatus,
  SyncFailure,
  SyncNoun,
  PullSummary,
  SyncStatus,
  SyncWork,
} from '../../api/generated'
import { m } from '../../gen/words'
import { formatAgo, formatList, formatNumber, toCountParams } from '../../lib/format'
import { visible } from '../../lib/text'

/** The most lists to name; more are counted. */
const NAMED_LISTS = 3

export function getWorkTitle(work: SyncWork): string {
  return { pull: m.sync_work_pull, run: m.sync_work_run, probe: m.sync_work_probe }[work.kind]()
}

/** Describes the progress of work: pages and rows as far as they are known, and what is retried. */
export function describeProgress({ page, pages, rows, rows_total, retry }: SyncWork): string {
  const parts: string[] = []
  if (page > 0)
    parts.push(
      pages === null || pages < page
        ? m.sync_work_page({ page: formatNumber(page) })
        : m.sync_work_pages({ page: formatNumber(page), pages: formatNumber(pages) }),
    )
  if (rows > 0)
    parts.push(
      rows_total === null || rows_total === 0
        ? m.sync_work_rows({ count: rows, rows: formatNumber(rows) })
        : m.sync_work_rows_of({
            count: rows_total,
            rows: formatNumber(Math.min(rows, rows_total)),
            total: formatNumber(rows_total),
          }),
    )
  if (retry !== null) {
    const number = formatNumber(retry.number)
    parts.push(
      retry.status === null
        ? m.sync_work_retry_silent({ number })
        : m.sync_work_retry({ number, status: String(retry.status) }),
    )
  }
  return parts.join(' · ')
}

/** Returns the progress from 0 to 1, if it is known. */
export function computeProgress({ page, pages, rows, rows_total }: SyncWork): number | undefined {
  if (rows_total !== null && rows_total > 0) return Math.min(rows / rows_total, 1)
  if (pages !== null && pages > 0) return Math.min(page / pages, 1)
  return undefined
}

export function getFailureTitle({ kind }: SyncFailure): string {
  return {
    unreachable: m.sync_failed_unreachable,
    throttled: m.sync_failed_throttled,
    key_refused: m.sync_failed_key_refused,
    not_permitted: m.sync_failed_not_permitted,
    wrong_address: m.sync_failed_wrong_address,
    redirected: m.sync_failed_redirected,
    other: m.sync_failed_other,
    held: m.sync_failed_held,
    not_connected: m.sync_not_connected,
    other_account: m.sync_failed_other_account,
    no_key: m.sync_failed_no_key,
    sealed: m.sync_failed_sealed,
    keyring: m.sync_failed_keyring,
    read_only: m.sync_failed_read_only,
    stale: m.sync_failed_stale,
    gate: m.sync_failed_gate,
    run_open: m.sync_failed_run_open,
    account: m.sync_failed_account,
  }[kind]()
}

/** Returns the texts of a Notice. “Service unreachable” above “The service cannot be reached” would say it twice. */
export function describeFailure(failure: SyncFailure): {
  title: string
  message?: string
  advice: string | undefined
} {
  const { message, advice } = translateFailure(failure)
  return failure.kind === 'unreachable'
    ? { title: message, advice }
    : { title: getFailureTitle(failure), message, advice }
}

/** Returns whether a failure is fixed in the connection's settings. */
export function isOfConnection({ kind }: SyncFailure): boolean {
  return [
    'key_refused',
    'no_key',
    'sealed',
    'keyring',
    'wrong_address',
    'redirected',
    'not_connected',
    'not_permitted',
    'other_account',
    'read_only',
  ].includes(kind)
}

export function getNounTitle(noun: SyncNoun): string {
  return {
    opt_out: m.sync_noun_opt_outs,
    list: m.sync_noun_lists,
    contact: m.sync_noun_contacts,
    short_link: m.sync_noun_short_links,
    sender: m.sync_noun_senders,
  }[noun]()
}

/** Counts records besides contacts, such as “2 lists changed”: new, changed or removed. */
function describeOtherRecords({ noun, count }: PullSummary['other_changes'][number]): string {
  const given = { count, shown: formatNumber(count) }
  return {
    list: m.sync_pulled_lists,
    opt_out: m.sync_pulled_opt_outs,
    short_link: m.sync_pulled_short_links,
    sender: m.sync_pulled_senders,
    contact: m.sync_pulled_changed,
  }[noun](given)
}

/** Names the removed lists, or counts them if there are many. */
function describeRemovedLists(lists: PullSummary['removed_lists']): string[] {
  if (lists.length > NAMED_LISTS) return [m.sync_pulled_removed_lists(toCountParams(lists.length))]
  return lists.map(({ name, contacts }) =>
    m.sync_pulled_removed_list({ name: visible(name), count: contacts, shown: formatNumber(contacts) }),
  )
}

/** Names the removed short links, or counts them if they are many. */
function describeRemovedLinks(links: PullSummary['removed_links']): string[] {
  if (links.length > NAMED_LISTS) return [m.sync_pulled_removed_links(toCountParams(links.length))]
  return links.map((title) => m.sync_pulled_removed_link({ title: visible(title) }))
}

/** Describes a pull: “12 added, 3 changed, 1 removed and 2 lists changed”, or that nothing was new. */
export function describePull(pulled: PullSummary): string {
  const {
    changed,
    removed,
    conflicts,
    other_changes,
    unsupported,
    brought_back: restored,
    removed_lists,
    removed_links,
  } = pulled
  const added = pulled.added - restored
  const gone: Partial<Record<SyncNoun, number>> = {
    list: removed_lists.length,
    short_link: removed_links.length,
  }
  const parts = [
    added > 0 ? m.sync_pulled_added(toCountParams(added)) : '',
    restored > 0 ? m.sync_pulled_restored(toCountParams(restored)) : '',
    changed > 0 ? m.sync_pulled_changed(toCountParams(changed)) : '',
    removed > 0 ? m.sync_pulled_removed(toCountParams(removed)) : '',
    ...describeRemovedLists(removed_lists),
    ...describeRemovedLinks(removed_links),
    ...other_changes
      .map(({ noun, count }) => ({ noun, count: count - (gone[noun] ?? 0) }))
      .filter(({ count }) => count > 0)
      .map(describeOtherRecords),
    unsupported > 0 ? m.sync_pulled_aside(toCountParams(unsupported)) : '',
    conflicts > 0 ? m.sync_pulled_conflicts(toCountParams(conflicts)) : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? m.sync_pulled_nothing() : formatList(parts)
}

/** Returns whether the summary is that of the last pull of everything, not of a list that was pulled since. */
export function isOfWholePull({ at }: Pick<PullSummary, 'at'>, pulledAt: string): boolean {
  return Date.parse(at) <= Date.parse(pulledAt)
}

/** Describes a run that was paused or interrupted. */
export function describeIdleRun({ state }: OpenRunStatus): string {
  return state === 'in_doubt' ? m.sync_bar_doubt_run() : m.sync_bar_paused_run()
}

/** Describes the status in a word or two, for the status bar. */
export function describeStatus(status: SyncStatus): string {
  if (!status.is_connected) return m.sync_told_offline()
  if (status.work !== null) return getWorkTitle(status.work)
  if (status.failed !== null) return getFailureTitle(status.failed)
  if (status.pulled_at === null) return m.sync_told_never()
  return m.sync_told_pulled({ ago: formatAgo(status.pulled_at) })
}
