// Undo and redo: the next step of each, and performing it.
import { actNumberOf, call } from '../../api/call'
import type { ChangeEvent, Commands, HistoryStatus, UndoStepEntry } from '../../api/generated'
import { toFailure } from '../../api/errors'
import { m } from '../../gen/words'
import { toast } from '../../kit/over/toasts.svelte'
import { coalesce } from '../../lib/coalesce'
import { commands } from '../../lib/commands/registry.svelte'
import { href } from '../../lib/router.svelte'
import { hasTakenEffect, describeAct, describeUndoOrRedo } from '../act/acts'

type TurnedStep = Commands['history_undo']['response']

/** More acts than toasts can be in view. */
const KEPT = 20

class UndoHistory {
  next = $state.raw<HistoryStatus>({ undo: null, redo: null, before_restore: null })
  /** The undo steps of this page's acts, by the number of their calls. */
  #steps = $state.raw<readonly (readonly [act: number, step: number])[]>([])
  /** The last act of this page, until it is known what undo reverses now. */
  #pendingAct = $state.raw<number>()

  /** Called with the number of each act of this page that was undone. */
  onUndone: ((act: number) => void) | undefined

  /** Whether the next steps have been loaded. */
  #isKnown = $state(false)

  /** Also true until they are loaded, so that an early key press has an effect. */
  get canUndo(): boolean {
    const { undo, before_restore } = this.next
    return !this.#isKnown || undo !== null || before_restore !== null || this.#pendingAct !== undefined
  }

  get canRedo(): boolean {
    return !this.#isKnown || this.next.redo !== null
  }

  readonly load = coalesce(async () => {
    try {
      this.next = await call('history_standing', {})
      this.#isKnown = true
    } catch {
      // The connection is broken or no account is open; both are shown elsewhere.
    }
  })

  /** Updates after every change by anybody. Without `change`, changes may have been missed. */
  async handleChange(change?: ChangeEvent): Promise<void> {
    const act = change && actNumberOf(change.origin)
    if (act !== undefined && typeof change?.step === 'number') {
      this.#steps = [...this.#steps, [act, change.step] as const].slice(-KEPT)
      this.#pendingAct = Math.max(act, this.#pendingAct ?? act)
    }
    await this.load()
    if (act === this.#pendingAct) this.#pendingAct = undefined
  }

  /** Registers that an act of this page succeeded. The feed may report its step later. */
  registerAct(act: number): void {
    if (!this.#steps.some(([of]) => of === act)) this.#pendingAct = act
  }

  /** Returns the step of an act of this page while undo would reverse exactly that step. */
  stepOf(act: number): number | undefined {
    if (this.#pendingAct !== undefined && act < this.#pendingAct) return undefined
    return this.#steps.find(([of, step]) => of === act && step === this.next.undo?.id)?.[1]
  }

  /** Undoes the last act without a message; with a step, only if that step is the last one. */
  async takeBack(only?: number): Promise<TurnedStep> {
    const taken = await call('history_undo', only === undefined ? {} : { step: only })
    if (!hasTakenEffect(taken)) return taken
    // Another key press may come before the next steps are loaded.
    this.next = { ...this.next, redo: taken.step }
    const act = this.#steps.find(([, step]) => step === taken.step.id)?.[0]
    if (act !== undefined) this.onUndone?.(act)
    return taken
  }

  /** Undoes the last act and says so; with a step, only if that step is the last one. If it can no longer be undone,
   *  offers to skip it. */
  async undo(only?: number): Promise<void> {
    const taken = await this.takeBack(only).catch((error: unknown) => this.#offerSkip(error, only))
    if (taken !== undefined) toast(describeUndoOrRedo('undone', taken.step, taken), { instead: 'act' })
    await this.load()
  }

  /** Asks whether to skip the act that could not be undone. Any other failure is thrown again. */
  async #offerSkip(error: unknown, only?: number): Promise<undefined> {
    const failure = toFailure(error)
    await this.load()
    const stuck = this.next.undo
    if (failure.code === 'conflict' && stuck === null && this.next.before_restore !== null) {
      toast(failure.message, {
        kind: 'warning',
        instead: 'act',
        link: { title: m.safety_title(), href: href('safety') },
      })
      return undefined
    }
    if (failure.code !== 'conflict' || stuck === null || (only !== undefined && only !== stuck.id))
      throw error
    toast(failure.message, {
      kind: 'fault',
      instead: 'act',
      ask: {
        title: m.activity_undo_pass(),
        run: () => void this.#skip(stuck),
        close: () => undefined,
      },
    })
    return undefined
  }

  /** Skips an act, unless another one is the last by now. */
  async #skip(stuck: UndoStepEntry): Promise<void> {
    try {
      await this.load()
      if (this.next.undo?.id !== stuck.id) return
      const { step } = await call('history_pass_over', {})
      toast(describeAct({ act: 'undo_pass_over', subject: null, count: null }, step), { instead: 'act' })
      await this.load()
    } catch (error) {
      commands.onfault(error)
    }
  }

  async redo(): Promise<void> {
    const taken = await call('history_redo', {})
    if (hasTakenEffect(taken)) this.next = { ...this.next, undo: taken.step }
    toast(describeUndoOrRedo('redone', taken.step, taken), { instead: 'act' })
    await this.load()
  }
}

export const undoHistory = new UndoHistory()
