// Undo and redo: what the next step of each is called, and doing it, anywhere and at any size.
import { actOf, call } from '../../api/call'
import type { ChangeEvent, UndoStepEntry } from '../../api/generated'
import { toast } from '../../kit/over/toasts.svelte'
import { coalesce } from '../../lib/coalesce'
import { isTurned, toldTurn } from '../act/acts'

/** More acts than there can be toasts. */
const KEPT = 20

class UndoState {
  next = $state.raw<{ undo: UndoStepEntry | null; redo: UndoStepEntry | null }>({ undo: null, redo: null })
  /** What acts of this page became: the step, by the number of the call. */
  #steps = $state.raw<readonly (readonly [act: number, step: number])[]>([])
  /** The last act of this page while it is not known yet what undoing takes back now. */
  #open = $state.raw<number>()

  /** Told which act of this page was undone. */
  onUndone: ((act: number) => void) | undefined

  /** Whether that was told yet. */
  #isKnown = $state(false)

  /** Also while nobody knows: a key that comes before the answer is not for nothing. */
  get canUndo(): boolean {
    return !this.#isKnown || this.next.undo !== null || this.#open !== undefined
  }

  get canRedo(): boolean {
    return !this.#isKnown || this.next.redo !== null
  }

  readonly load = coalesce(async () => {
    try {
      this.next = await call('history_standing', {})
      this.#isKnown = true
    } catch {
      // The link is broken or no account is open; both are told elsewhere.
    }
  })

  /** After every change of anybody; without one, changes may have been missed. */
  async heard(change?: ChangeEvent): Promise<void> {
    const act = change && actOf(change.origin)
    if (act !== undefined && typeof change?.step === 'number') {
      this.#steps = [...this.#steps, [act, change.step] as const].slice(-KEPT)
      this.#open = Math.max(act, this.#open ?? act)
    }
    await this.load()
    if (act === this.#open) this.#open = undefined
  }

  /** An act of this page is done; what it became may still be on its way. */
  acted(act: number): void {
    if (!this.#steps.some(([of]) => of === act)) this.#open = act
  }

  /** The step of an act of this page, for as long as it is the one that undoing takes back. */
  stepOf(act: number): number | undefined {
    if (this.#open !== undefined && act < this.#open) return undefined
    return this.#steps.find(([of, step]) => of === act && step === this.next.undo?.id)?.[1]
  }

  /** Takes back the last act; with a step, only if that is the last. */
  async undo(only?: number): Promise<void> {
    const taken = await call('history_undo', only === undefined ? {} : { step: only })
    // The next key may come before what follows is asked for.
    if (isTurned(taken)) this.next = { ...this.next, redo: taken.step }
    toast(toldTurn('undone', taken.step, taken), { instead: 'act' })
    const act = this.#steps.find(([, step]) => step === taken.step.id)?.[0]
    if (act !== undefined) this.onUndone?.(act)
    await this.load()
  }

  async redo(): Promise<void> {
    const taken = await call('history_redo', {})
    if (isTurned(taken)) this.next = { ...this.next, undo: taken.step }
    toast(toldTurn('redone', taken.step, taken), { instead: 'act' })
    await this.load()
  }
}

export const undoing = new UndoState()
