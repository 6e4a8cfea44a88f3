// The plan that is shown: asked for, made anew, chosen in, and known to be out of date.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import type { PlanChoice, PlanDetails, PlanLine, RecordKey } from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'
import { standing } from '../../../parts/frame/standing.svelte'

/** A step that was left out: the plan it stood in still knows what it was made of. */
export interface LeftOut {
  plan: number
  step: PlanLine
}

export class PlanState {
  plan = $state.raw<PlanDetails>()
  failure = $state.raw<Failure>()
  leftOut = $state.raw<readonly LeftOut[]>([])
  isBusy = $state(false)
  /** Whether the first answer is there. */
  isKnown = $state(false)
  /** A plan is made by itself once, where there is none. */
  #made = false
  /** The newest that was told to be there: when there is none any more, it was sent. */
  #told: number | undefined

  /** What is known now; where there is no plan yet, one is made, for that sends nothing. */
  readonly load = coalesce(async () => {
    try {
      if (standing.value === undefined) return
      const { plan, run, is_connected } = standing.value
      // The newest one may have been sent already: it is in the past then.
      if (plan !== null) {
        this.#told = plan.id
        const shown = (await call('plan_get', { plan: plan.id })) ?? undefined
        // How things stand may be told later than the plan that was made meanwhile.
        if (plan.id >= (this.plan?.id ?? 0)) this.plan = shown
      } else if (run !== null || !is_connected) {
        this.plan = undefined
        this.#made = false
      } else if (this.plan === undefined ? !this.#made : this.plan.id === this.#told) {
        this.#made = true
        this.plan = await call('plan_make', {})
      }
      this.isKnown = true
      this.failure = undefined
    } catch (error) {
      this.isKnown = true
      this.failure = toFailure(error)
    }
  })

  async #answer(ask: () => Promise<PlanDetails>): Promise<boolean> {
    if (this.isBusy) return false
    this.isBusy = true
    try {
      this.plan = await ask()
      this.failure = undefined
      return true
    } catch (error) {
      this.failure = toFailure(error)
      return false
    } finally {
      this.isBusy = false
      // What hangs on it follows; nobody waits for that.
      void standing.load()
    }
  }

  async make(): Promise<boolean> {
    return this.#answer(() => call('plan_make', {}))
  }

  async choose(key: RecordKey, choice: PlanChoice | null, alike: boolean): Promise<boolean> {
    return this.#answer(() => call('plan_choose', { key, choice, alike }))
  }

  async leaveOut(step: PlanLine): Promise<boolean> {
    const { plan } = this
    if (plan === undefined) return false
    const done = await this.#answer(() => call('plan_hold', { plan: plan.id, step: step.id, held: true }))
    if (done) this.leftOut = [...this.leftOut, { plan: plan.id, step }]
    return done
  }

  async include(one: LeftOut): Promise<boolean> {
    const done = await this.#answer(() =>
      call('plan_hold', { plan: one.plan, step: one.step.id, held: false }),
    )
    if (done) this.leftOut = this.leftOut.filter((other) => other !== one)
    return done
  }
}
