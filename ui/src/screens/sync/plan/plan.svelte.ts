// The plan that is shown: loaded, made again, edited, and marked when it is out of date.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import type { PlanChoice, PlanDetails, PlanLine, RecordKey } from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'
import { syncState } from '../../../parts/frame/sync-state.svelte'

/** An excluded step; its plan still has its content. */
export interface ExcludedStep {
  plan: number
  step: PlanLine
}

export class PlanState {
  plan = $state.raw<PlanDetails>()
  failure = $state.raw<Failure>()
  excludedSteps = $state.raw<readonly ExcludedStep[]>([])
  isBusy = $state(false)
  /** Whether the first response has arrived. */
  isKnown = $state(false)
  /** Whether a plan has been made automatically, which happens once. */
  #wasMade = false
  /** The newest plan that the status named. If the status names none later, that plan was sent. */
  #newestPlan: number | undefined

  /** Loads the current plan. If there is none, makes one, which sends nothing. */
  readonly load = coalesce(async () => {
    try {
      if (syncState.value === undefined) return
      const { plan, run, is_connected } = syncState.value
      // The newest plan may have been sent already.
      if (plan !== null) {
        this.#newestPlan = plan.id
        const shown = (await call('plan_get', { plan: plan.id })) ?? undefined
        // The status may be older than a plan that was made in the meantime.
        if (plan.id >= (this.plan?.id ?? 0)) this.plan = shown
      } else if (run !== null || !is_connected) {
        this.plan = undefined
        this.#wasMade = false
      } else if (this.plan === undefined ? !this.#wasMade : this.plan.id === this.#newestPlan) {
        this.#wasMade = true
        this.plan = await call('plan_make', {})
      }
      this.isKnown = true
      this.failure = undefined
    } catch (error) {
      this.isKnown = true
      this.failure = toFailure(error)
    }
  })

  async #runPlanCall(ask: () => Promise<PlanDetails>): Promise<boolean> {
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
      // Refresh what depends on the plan, without waiting for it.
      void syncState.load()
    }
  }

  async make(): Promise<boolean> {
    return this.#runPlanCall(() => call('plan_make', {}))
  }

  async choose(key: RecordKey, choice: PlanChoice | null, alike: boolean): Promise<boolean> {
    return this.#runPlanCall(() => call('plan_choose', { key, choice, alike }))
  }

  async leaveOut(step: PlanLine): Promise<boolean> {
    const { plan } = this
    if (plan === undefined) return false
    const done = await this.#runPlanCall(() =>
      call('plan_hold', { plan: plan.id, step: step.id, held: true }),
    )
    if (done) this.excludedSteps = [...this.excludedSteps, { plan: plan.id, step }]
    return done
  }

  async include(one: ExcludedStep): Promise<boolean> {
    const done = await this.#runPlanCall(() =>
      call('plan_hold', { plan: one.plan, step: one.step.id, held: false }),
    )
    if (done) this.excludedSteps = this.excludedSteps.filter((other) => other !== one)
    return done
  }
}
