// Asks before leaving while changes are being sent, because leaving pauses the run.
import type { Transport } from '../../api/transport'
import { openEditors } from '../../grid/open-editors.svelte'
import { unsaved, type LeaveReason } from '../contact/unsaved.svelte'
import { syncState } from './sync-state.svelte'

class Sending {
  /** The question that is waiting for an answer. */
  question = $state.raw<{ answer: (leaves: boolean) => void }>()
  /** The ID of the work that the user agreed to pause. Quitting closes the window, which would ask a second time. */
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

  /** Forgets the agreement, because the user stays. */
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

/** Returns whether leaving the page would lose text or pause a run. In a browser, sending goes on without the page. */
export function mustAskToLeave(kind: Transport['kind']): boolean {
  return unsaved.all.length > 0 || openEditors.isOpen || (kind === 'window' && sending.isGoing)
}

/** Returns whether the user agrees to leave. Agreeing to lose unsaved text drops it, so that question comes last. */
export async function mayLeave(why: LeaveReason): Promise<boolean> {
  if (!(await sending.mayPause())) return false
  if (await unsaved.mayLeave(why)) return true
  sending.stay()
  return false
}
