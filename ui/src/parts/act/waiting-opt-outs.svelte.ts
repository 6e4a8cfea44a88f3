// The opt-outs that people lost by a new number, until the user decides about them. The account stores them, because
// the question in the status bar may be dismissed.
import { call } from '../../api/call'
import type { LostOptOut } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'

/** As many as fit into one stored value. */
const PER_KEY = 400
const KEYS = Array.from({ length: 25 }, (_, at) => `optouts.lost.${at}`)
/** The most that one request checks. */
const MOST_CHECKED = 1_000

async function read(): Promise<LostOptOut[]> {
  const { values } = await call('ui_state_get', { keys: KEYS })
  return KEYS.flatMap((key) => (values[key] ?? []) as LostOptOut[])
}

/** Returns those of `lost` that are not among `others`. */
export function withoutLost(lost: readonly LostOptOut[], others: readonly LostOptOut[]): LostOptOut[] {
  const toKey = ({ number, channel, asset }: LostOptOut): string => `${number} ${channel} ${asset ?? ''}`
  const keys = new Set(others.map(toKey))
  return lost.filter((one) => !keys.has(toKey(one)))
}

class WaitingOptOuts {
  /** Those that are still lost. */
  value = $state.raw<readonly LostOptOut[]>([])
  #lastChange: Promise<void> = Promise.resolve()

  readonly load = coalesce(async () => {
    const known = await read()
    const lost: LostOptOut[] = []
    for (let from = 0; from < known.length; from += MOST_CHECKED) {
      lost.push(...(await call('opt_out_lost', { lost: known.slice(from, from + MOST_CHECKED) })).lost)
    }
    this.value = lost
  })

  /** Stores lost opt-outs. If there are too many, the oldest go. */
  add(lost: readonly LostOptOut[]): Promise<void> {
    return this.#change((known) => [...withoutLost(known, lost), ...lost])
  }

  /** Removes opt-outs about which the user has decided. */
  remove(decided: readonly LostOptOut[]): Promise<void> {
    return this.#change((known) => withoutLost(known, decided))
  }

  #change(edit: (known: LostOptOut[]) => LostOptOut[]): Promise<void> {
    const run = async (): Promise<void> => {
      const before = await read()
      const after = edit(before).slice(-KEYS.length * PER_KEY)
      for (const [at, key] of KEYS.entries()) {
        const part = after.slice(at * PER_KEY, (at + 1) * PER_KEY)
        if (part.length === 0 && before.length <= at * PER_KEY) break
        await call('ui_state_put', { key, value: part.length === 0 ? null : part })
      }
      await this.load()
    }
    // One after the other, because each replaces what the one before stored.
    this.#lastChange = this.#lastChange.then(run, run)
    return this.#lastChange
  }
}

export const waitingOptOuts = new WaitingOptOuts()
