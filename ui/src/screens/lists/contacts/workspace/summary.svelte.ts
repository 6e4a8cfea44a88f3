// A description of the selection for the status bar: its size at once, its content a moment later.
import { call } from '../../../../api/call'
import type { GridSummary } from '../../../../api/generated'
import { m } from '../../../../gen/words'
import type { GridSelection } from '../../../../grid/grid-selection'
import { toCountParams } from '../../../../lib/format'
import { describeServiceValue, toWireRows } from './source'
import type { Workspace } from './workspace.svelte'

const STILL_MS = 180
/** Summarising more cells than this takes too long. */
const MOST_COUNTED = 6_000_000

export class SelectionSummary {
  readonly #of: Workspace
  #answer = $state.raw<{ chosen: GridSelection; summary: GridSummary }>()
  /** The problem of the selected cell, or of its row. */
  #problem = $state.raw<{ chosen: GridSelection; text: string }>()

  constructor(of: Workspace) {
    this.#of = of
  }

  /** Loads the summary once the selection is stable; returns a function that cancels this. */
  follow(chosen: GridSelection): () => void {
    const timer = setTimeout(() => void this.#loadSummary(chosen).catch(() => undefined), STILL_MS)
    return () => clearTimeout(timer)
  }

  words(chosen: GridSelection): string {
    if (this.#problem?.chosen === chosen) return this.#problem.text
    if (chosen.isSingle || chosen.cells === 0) return ''
    const rows = this.#of.rows.size
    const known = this.#answer?.chosen === chosen ? this.#answer.summary : undefined
    const parts = [
      m.contacts_sum_rows(toCountParams(rows)),
      m.contacts_sum_cells(toCountParams(chosen.cells)),
    ]
    if (known !== undefined) {
      parts.push(m.contacts_sum_blanks(toCountParams(known.blanks)))
      if (known.distinct !== null) parts.push(m.contacts_sum_distinct(toCountParams(known.distinct)))
    }
    return parts.join(' · ')
  }

  async #loadSummary(chosen: GridSelection): Promise<void> {
    const { view } = this.#of
    const id = view.built?.view
    if (id === undefined) return
    if (chosen.isSingle) {
      const { drafts, unsent } = await call('grid_drafts', { view: id, row: chosen.focus.row })
      const { column } = chosen.focus
      const draft = drafts.find(({ field }) => field === column)
      const agreed = describeServiceValue(unsent, column)
      if (draft !== undefined) this.#problem = { chosen, text: this.#of.refusal(draft) }
      else if (agreed !== undefined) this.#problem = { chosen, text: agreed }
      else if (this.#of.grid?.hasLeft() === true) this.#problem = { chosen, text: m.contacts_left() }
      return
    }
    const [group] = chosen.groups
    if (group === undefined || chosen.groups.length > 1 || chosen.cells > MOST_COUNTED) return
    const summary = await call('grid_summary', {
      view: id,
      rows: toWireRows(group.rows),
      columns: [...group.columns],
    })
    this.#answer = { chosen, summary }
  }
}
