// Counts the values of a column among the rows in view. It ignores the column's own selection, so that other values can
// be added to it.
import { call } from '../../../../api/call'
import { toFailure, type Failure } from '../../../../api/errors'
import type { GridFacets } from '../../../../api/generated'
import { toOpenRequest } from '../workspace/view.svelte'
import type { Workspace } from '../workspace/workspace.svelte'
import { getChoice, withChoice } from './tree'

const MOST = 200
const WAIT_MS = 1_000

export class FacetCounts {
  found = $state.raw<{ field: string; facets: GridFacets }>()
  failure = $state.raw<Failure>()
  isBusy = $state(false)
  readonly #of: Workspace
  #turn = 0

  constructor(of: Workspace) {
    this.#of = of
  }

  async load(field: string): Promise<void> {
    const { built } = this.#of.view
    if (built === undefined) return
    const turn = (this.#turn += 1)
    this.isBusy = true
    try {
      const facets = await this.#ask(field, turn)
      if (turn !== this.#turn) return
      if (facets !== undefined) this.found = { field, facets }
      this.failure = undefined
    } catch (error) {
      if (turn === this.#turn) this.failure = toFailure(error)
    } finally {
      if (turn === this.#turn) this.isBusy = false
    }
  }

  async #ask(field: string, turn: number): Promise<GridFacets | undefined> {
    const { built } = this.#of.view
    if (built === undefined) return undefined
    const { request } = built
    if (getChoice(request.filter, field).length === 0)
      return call('grid_facets', { view: built.view, field, most: MOST })
    const wider = { ...request, hasDeleted: false, sort: [], filter: withChoice(request.filter, field, []) }
    const { view, generation, is_building } = await call('grid_open', toOpenRequest(this.#of.list, wider))
    try {
      let isBuilding = is_building
      while (isBuilding && turn === this.#turn)
        isBuilding = (await call('grid_state', { view, generation, wait_ms: WAIT_MS })).is_building
      return turn === this.#turn ? await call('grid_facets', { view, field, most: MOST }) : undefined
    } finally {
      call('grid_close', { view }).catch(() => undefined)
    }
  }
}
