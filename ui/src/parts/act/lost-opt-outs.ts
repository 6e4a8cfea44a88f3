// If an act gives another number to a person who opted out, asks whether to opt out that number as well. Until the user
// decides, the question also waits on the overview.
import { call, lastActNumber } from '../../api/call'
import type { LostOptOut } from '../../api/generated'
import { m } from '../../gen/words'
import { toast, toasts } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'
import { formatNumber } from '../../lib/format'
import { undoHistory } from '../frame/undo.svelte'
import { toastPermanentAct } from './act-toast'
import { waitingOptOuts, withoutLost } from './waiting-opt-outs.svelte'

interface Question {
  readonly act: number
  readonly lost: readonly LostOptOut[]
}

const KEY = 'lost-opt-outs'
/** The most opt-outs that one request adds. */
const MOST_ADDED = 10_000

/** Unanswered questions; later ones are combined with them. */
let open: readonly Question[] = []

/** Asks about the opt-outs that an act lost; call it right after the act. */
export function askAboutLost(lost: readonly LostOptOut[]): void {
  if (lost.length === 0) return
  open = [...open, { act: lastActNumber(), lost }]
  ask()
  waitingOptOuts.add(lost).catch((error: unknown) => commands.onfault(error))
}

// The undo has restored the former number, so the question no longer applies.
undoHistory.onUndone = (act) => {
  if (!open.some((one) => one.act === act)) return
  open = open.filter((one) => one.act !== act)
  ask()
}

/** Returns the question about lost opt-outs. */
export function describeLost(lost: readonly LostOptOut[]): string {
  const [first] = lost
  const count = countNumbers(lost)
  return count === 1 && first !== undefined
    ? m.optouts_lost_one({ opted_out: first.opted_out, number: first.number })
    : m.optouts_lost_many({ shown: formatNumber(count) })
}

/** Returns the label of the button that opts their numbers out. */
export function labelLost(lost: readonly LostOptOut[]): string {
  const count = countNumbers(lost)
  return m.optouts_lost_act({ count, shown: formatNumber(count), number: lost[0]?.number ?? '' })
}

const countNumbers = (lost: readonly LostOptOut[]): number => new Set(lost.map(({ number }) => number)).size

/** Opts the numbers out, or leaves them for good. */
export async function decideLost(lost: readonly LostOptOut[], mustOptOut: boolean): Promise<void> {
  open = open.map((one) => ({ ...one, lost: withoutLost(one.lost, lost) }))
  ask()
  if (mustOptOut) await optOut(lost)
  await waitingOptOuts.remove(lost)
}

function ask(): void {
  const lost = open.flatMap((one) => one.lost)
  if (lost.length === 0) return toasts.withdraw(KEY)
  toast(() => describeLost(lost), {
    kind: 'warning',
    instead: KEY,
    ask: {
      get title() {
        return labelLost(lost)
      },
      run: () => void decideLost(lost, true).catch((error: unknown) => commands.onfault(error)),
      close: () => (open = []),
    },
  })
}

async function optOut(lost: readonly LostOptOut[]): Promise<void> {
  let count = 0
  for (let from = 0; from < lost.length; from += MOST_ADDED) {
    const entries = lost
      .slice(from, from + MOST_ADDED)
      .map(({ number, channel, asset }) => ({ number, channels: [channel], asset }))
    const { added } = await call('opt_out_add', { entries, reason: m.optouts_lost_reason(), region: null })
    count += added
  }
  toastPermanentAct(m.optouts_added({ count }))
}
