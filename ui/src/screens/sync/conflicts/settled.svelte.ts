// Tells what was settled, with a way back for as long as nothing else was settled.
import { call } from '../../../api/call'
import { m } from '../../../gen/words'
import { toast } from '../../../kit/over/toasts.svelte'
import { commands } from '../../../lib/commands/registry.svelte'
import { formatNumber } from '../../../lib/format'

export interface Settled {
  settled: number
  left: number
  /** By which it is opened again; null: it was too much to be kept. */
  undo: number | null
}

/** What can still be opened again. */
let last = $state<number | null>(null)

async function reopen(settlement: number): Promise<void> {
  last = null
  const { opened, kept } = await call('conflicts_reopen', { settlement })
  const told = m.conflicts_reopened({ n: opened, count: formatNumber(opened) })
  toast(kept === 0 ? told : `${told} ${m.conflicts_reopen_kept({ n: kept, count: formatNumber(kept) })}`)
}

/** To be called with every answer; says nothing where nothing was settled. */
export function tellSettled({ settled, left, undo }: Settled, quiet = false): void {
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
