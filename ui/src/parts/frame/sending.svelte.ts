// Leaving while changes are being sent pauses the run, so the user is asked first.
import type { Transport } from '../../api/transport'
import { unsaved, type LeaveReason } from '../contact/unsaved.svelte'
import { syncState } from './standing.svelte'

class Sending {
  /** The question that is waiting for an answer. */
  question = $state.raw<{ answer: (leaves: boolean) => void }>()
  /** The ID of the work that the user agreed to pause, because quitting also closes the window, which asks again. */
  #agreed: number | undefined

  get #running(): number | undefined {
    const work = syncState.value?.work
    return work?.kind === 'run' ? work.id : undefined
  }

  get isGoing(): boolean {
    return this.#running !== undefined
  }

  /** Returns whether the run may be paused; asks if there is one. A new question replaces an older one. */
  async mayPause(): Promise<boolean> {
    const running = this.#running
    if (running === undefined || running === this.#agreed) return true
    this.question?.answer(false)
    const leaves = await new Promise<boolean>((answer) => (this.question = { answer }))
    if (leaves) this.#agreed = running
    return leaves
  }

  /** Asks again the next time, because the user stays. */
  stay(): void {
    this.#agreed = undefined
  }

  answer(leaves: boolean): void {
    const { question } = this
    this.question = undefined
    question?.answer(leaves)
  }
}

export const sending = new Sending()

/** Returns whether leaving the page would end something that the user may want to keep. Sending goes on without a tab
 *  of a browser. */
export function mustAskToLeave(kind: Transport['kind']): boolean {
  return unsaved.all.length > 0 || (kind === 'window' && sending.isGoing)
}

/** Returns whether the user agrees to leave. Agreeing to lose unsaved text drops it, so that question comes last. */
export async function mayLeave(why: LeaveReason): Promise<boolean> {
  if (!(await sending.mayPause())) return false
  if (await unsaved.mayLeave(why)) return true
  sending.stay()
  return false
}
