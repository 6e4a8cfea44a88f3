// Reports resolved conflicts, and offers undo until others are resolved.
import { call } from '../../../api/call'
import { m } from '../../../gen/words'
import { toast } from '../../../kit/over/toasts.svelte'
import { commands } from '../../../lib/commands/registry.svelte'
import { formatNumber } from '../../../lib/format'

export interface ResolvedConflicts {
  settled: number
  left: number
  /** Identifies the resolution for undo; null if it was too large to be stored. */
  undo: number | null
}

/** The resolution that can still be undone. */
let last = $state<number | null>(null)

async function reopen(settlement: number): Promise<void> {
  last = null
  const { opened, kept } = await call('conflicts_reopen', { settlement })
  const reopenedText = m.conflicts_reopened({ n: opened, count: formatNumber(opened) })
  toast(
    kept === 0
      ? reopenedText
      : `${reopenedText} ${m.conflicts_reopen_kept({ n: kept, count: formatNumber(kept) })}`,
  )
}

/** Reports the result of an answer; call it after every one. Says nothing if nothing was resolved. */
export function reportResolved({ settled, left, undo }: ResolvedConflicts, quiet = false): void {
  if (settled === 0) return
  last = undo
  const words = m.conflicts_settled({ n: settled, settled: formatNumber(settled), left: formatNumber(left) })
  if (undo === null) return toast(`${words} ${m.conflicts_settled_for_good()}`, { quiet })
  toast(words, {
    quiet,
    undo: {
      can: () => last === undo,
      run: () => void reopen(undo).catch((error: unknown) => commands.onfault(error)),
    },
  })
}
