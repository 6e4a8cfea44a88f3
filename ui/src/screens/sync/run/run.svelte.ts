// A run, loaded again whenever it progresses.
import { call } from '../../../api/call'
import type { Failure } from '../../../api/errors'
import { createLoad } from '../../../api/loader.svelte'
import type { RunDetails } from '../../../api/generated'

export class RunState {
  run = $state.raw<RunDetails>()
  failure = $state.raw<Failure>()
  isGone = $state(false)

  constructor(readonly id: number) {}

  readonly load = createLoad(this, async () => {
    const run = await call('run_get', { run: this.id })
    this.isGone = run === null
    if (run !== null) this.run = run
  })
}
