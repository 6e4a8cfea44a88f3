// Reports that work with the service has ended: in a toast, and by the desktop if another window is in front.
import { call, transport } from '../../api/call'
import type { RunDetails, EndedSyncWork, SyncStatus } from '../../api/generated'
import { m } from '../../gen/words'
import { announce, toast } from '../../kit/over/toasts.svelte'
import { formatList, toCountParams } from '../../lib/format'
import { href, router } from '../../lib/router.svelte'
import { listRemainingWork, type RemainingWork } from './remaining-work'
import { countRefusals } from './run/words'
import { describeFailure, describePull } from './words'

interface WorkEnd {
  text: string
  well: boolean
  /** What still needs attention. */
  left?: RemainingWork
}

export async function reportSyncEnd(ended: EndedSyncWork, now: SyncStatus): Promise<void> {
  const end = await describeEnd(ended, now).catch(() => undefined)
  if (end === undefined) return
  const { text, well, left } = end
  // The screen of the sync already shows it; the end of a run is important enough for a toast anyway.
  const isShown = router.section === 'sync' && ended.kind !== 'run'
  if (!isShown)
    toast(text, {
      // The message about earlier work of this kind is out of date.
      instead: `sync-${ended.kind}`,
      kind: well ? (left === undefined ? 'done' : 'warning') : 'fault',
      link: left && { title: m.sync_left_show(), href: left.href },
    })
  else if (well) announce(text)
  if (transport.kind === 'window' && !document.hasFocus())
    await call('desktop_notify', { title: m.frame_roost(), body: text }).catch(() => undefined)
}

async function describeEnd(
  { kind, run, is_cut_short }: EndedSyncWork,
  now: SyncStatus,
): Promise<WorkEnd | undefined> {
  if (now.failed !== null) {
    const { title, message } = describeFailure(now.failed)
    return { text: message === undefined ? title : m.sync_done_failed({ title, message }), well: false }
  }
  switch (kind) {
    case 'pull': {
      if (is_cut_short) return { text: m.sync_done_stopped(), well: true }
      const pulled = await call('sync_pulled', {})
      return pulled === null
        ? undefined
        : { text: m.sync_done_pull({ told: describePull(pulled) }), well: true }
    }
    case 'run':
      return describeRunEnd(run, now)
    case 'probe':
      return { text: m.sync_done_probe(), well: true }
  }
}

async function describeRunEnd(id: number | null, now: SyncStatus): Promise<WorkEnd | undefined> {
  const run = id === null ? null : await call('run_get', { run: id })
  switch (run?.state) {
    case 'done':
      return run.counts.rejected === 0 ? describeSent(now) : describeRefusals(run)
    case 'in_doubt':
      return { text: m.sync_done_run_doubt(), well: false }
    case 'paused':
      return { text: m.sync_done_run_paused(), well: true }
    case 'cancelled':
      return { text: m.sync_done_run_cancelled(), well: true }
    default:
      return undefined
  }
}

/** Returns the end of a run with refused rows, with a link to the reasons. */
function describeRefusals(run: RunDetails): WorkEnd {
  const { refused, held } = countRefusals(run)
  const text =
    refused > 0 ? m.sync_done_run_refused(toCountParams(refused)) : m.sync_done_run_held(toCountParams(held))
  return { text, well: false, left: { text, href: `${href('sync', 'runs', String(run.id))}?why=1` } }
}

function describeSent(now: SyncStatus): WorkEnd {
  const all = listRemainingWork(now)
  const [left] = all
  if (left === undefined) return { text: m.sync_done_run(), well: true }
  return { text: m.sync_done_run_left({ left: formatList(all.map(({ text }) => text)) }), well: true, left }
}
