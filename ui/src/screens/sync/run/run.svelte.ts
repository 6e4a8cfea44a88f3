// A run, loaded again whenever it progresses.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import type { RunDetails } from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'

export class RunState {
  run = $state.raw<RunDetails>()
  failure = $state.raw<Failure>()
  isGone = $state(false)

  constructor(readonly id: number) {}

  readonly load = coalesce(async () => {
    try {
      const run = await call('run_get', { run: this.id })
      this.isGone = run === null
      if (run !== null) this.run = run
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })
}
