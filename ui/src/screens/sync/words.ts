// What is told of the sync in words, on the screen and in the frame.
import type { ListRead, SyncFailure, SyncNoun, PullSummary, SyncStatus, SyncWork } from '../../api/generated'
import { m } from '../../gen/words'
import { formatAgo, formatList, formatNumber } from '../../lib/format'
import { visible } from '../../lib/text'

/** More names say no more. */
const NAMED_LISTS = 3

export function workTitle(work: SyncWork): string {
  return { pull: m.sync_work_pull, run: m.sync_work_run, probe: m.sync_work_probe }[work.kind]()
}

/** How far a work is: pages and rows, as far as they are known; and what is read again. */
export function workTold({ page, pages, rows, rows_total, retry }: SyncWork): string {
  const told: string[] = []
  if (page > 0)
    told.push(
      pages === null || pages < page
        ? m.sync_work_page({ page: formatNumber(page) })
        : m.sync_work_pages({ page: formatNumber(page), pages: formatNumber(pages) }),
    )
  if (rows > 0)
    told.push(
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
    told.push(
      retry.status === null
        ? m.sync_work_retry_silent({ number })
        : m.sync_work_retry({ number, status: String(retry.status) }),
    )
  }
  return told.join(' · ')
}

/** From 0 to 1, if anybody can know. */
export function workShare({ page, pages, rows, rows_total }: SyncWork): number | undefined {
  if (rows_total !== null && rows_total > 0) return Math.min(rows / rows_total, 1)
  if (pages !== null && pages > 0) return Math.min(page / pages, 1)
  return undefined
}

export function failedTitle({ kind }: SyncFailure): string {
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

/** Cured where the connection is set. */
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
    'read_only',
  ].includes(kind)
}

export function nounTitle(noun: SyncNoun): string {
  return {
    opt_out: m.sync_noun_opt_outs,
    list: m.sync_noun_lists,
    contact: m.sync_noun_contacts,
    short_link: m.sync_noun_short_links,
    sender: m.sync_noun_senders,
  }[noun]()
}

export function readTitle(how: ListRead): string {
  return {
    assumed_unchanged: m.sync_read_assumed,
    in_use: m.sync_read_in_use,
    whole: m.sync_read_whole,
    drifting: m.sync_read_drifting,
    shrunk: m.sync_read_shrunk,
  }[how]()
}

/** “2 lists changed”: new, changed or gone. */
function besideTold({ noun, count }: PullSummary['beside'][number]): string {
  const given = { count, shown: formatNumber(count) }
  return {
    list: m.sync_pulled_lists,
    opt_out: m.sync_pulled_opt_outs,
    short_link: m.sync_pulled_short_links,
    sender: m.sync_pulled_senders,
    contact: m.sync_pulled_changed,
  }[noun](given)
}

/** The removed lists by name; many only by their number. */
function removedListsTold(lists: PullSummary['removed_lists']): string[] {
  if (lists.length > NAMED_LISTS)
    return [m.sync_pulled_removed_lists({ count: lists.length, shown: formatNumber(lists.length) })]
  return lists.map(({ name, contacts }) =>
    m.sync_pulled_removed_list({ name: visible(name), count: contacts, shown: formatNumber(contacts) }),
  )
}

/** “12 added, 3 changed, 1 removed and 2 lists changed”, or that nothing was new. */
export function pulledTold(pulled: PullSummary): string {
  const { changed, removed, conflicts, beside, aside, brought_back: restored, removed_lists } = pulled
  const added = pulled.added - restored
  const told = [
    added > 0 ? m.sync_pulled_added({ count: added, shown: formatNumber(added) }) : '',
    restored > 0 ? m.sync_pulled_restored({ count: restored, shown: formatNumber(restored) }) : '',
    changed > 0 ? m.sync_pulled_changed({ count: changed, shown: formatNumber(changed) }) : '',
    removed > 0 ? m.sync_pulled_removed({ count: removed, shown: formatNumber(removed) }) : '',
    ...removedListsTold(removed_lists),
    ...beside
      .map(({ noun, count }) => ({ noun, count: noun === 'list' ? count - removed_lists.length : count }))
      .filter(({ count }) => count > 0)
      .map(besideTold),
    aside > 0 ? m.sync_pulled_aside({ count: aside, shown: formatNumber(aside) }) : '',
    conflicts > 0 ? m.sync_pulled_conflicts({ count: conflicts, shown: formatNumber(conflicts) }) : '',
  ].filter((part) => part !== '')
  return told.length === 0 ? m.sync_pulled_nothing() : formatList(told)
}

/** Whether a pull brought this at that time. A run reads as well, so the last reading may be newer. */
export function isOfReading({ at }: Pick<PullSummary, 'at'>, readAt: string): boolean {
  return Date.parse(at) >= Date.parse(readAt)
}

/** In a word or two, for the status bar. */
export function standingTold(status: SyncStatus): string {
  if (!status.is_connected) return m.sync_told_offline()
  if (status.work !== null) return workTitle(status.work)
  if (status.failed !== null) return failedTitle(status.failed)
  if (status.pulled_at === null) return m.sync_told_never()
  return m.sync_told_pulled({ ago: formatAgo(status.pulled_at) })
}
