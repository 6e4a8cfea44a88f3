// Whoever leaves while changes are being sent is asked first: the run would pause.
import { syncState } from './standing.svelte'

export class Sending {
  /** The question that waits for an answer. */
  question = $state.raw<{ answer: (leaves: boolean) => void }>()

  get isGoing(): boolean {
    return syncState.value?.work?.kind === 'run'
  }

  /** Whether the person agrees to pause the run, if there is one; a second question takes the place of the first. */
  async mayLeave(): Promise<boolean> {
    if (!this.isGoing) return true
    this.question?.answer(false)
    return new Promise<boolean>((answer) => (this.question = { answer }))
  }

  answer(leaves: boolean): void {
    const { question } = this
    this.question = undefined
    question?.answer(leaves)
  }
}

export const sending = new Sending()
