// Loads previews one at a time and cancels in the core what nobody waits for any more.
import { call } from '../../../../api/call'
import { toFailure, type Failure } from '../../../../api/errors'
import type { GridAct, GridEdited } from '../../../../api/generated'
import { coalesce } from '../../../../lib/coalesce'

export type PreviewRequest = Omit<GridAct, 'preview'>

export class Previews {
  answer = $state.raw<{ requestKey: string; edited: GridEdited }>()
  failure = $state.raw<Failure>()
  #wanted: PreviewRequest | undefined
  #pendingAbort: AbortController | undefined

  /** Requests a preview in place of the pending one; without a request, only cancels that. */
  ask(request: PreviewRequest | undefined): void {
    this.#wanted = request
    this.failure = undefined
    this.#pendingAbort?.abort()
    if (request !== undefined) void this.#loadWanted()
  }

  readonly #loadWanted = coalesce(async () => {
    const request = this.#wanted
    if (request === undefined) return
    const requestKey = JSON.stringify(request)
    if (requestKey === this.answer?.requestKey) return
    this.#pendingAbort = new AbortController()
    const { signal } = this.#pendingAbort
    try {
      this.answer = { requestKey, edited: await call('grid_act', { ...request, preview: true }, signal) }
    } catch (error) {
      if (request === this.#wanted) this.failure = toFailure(error)
    }
  })
}
