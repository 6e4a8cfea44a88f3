// The grid's source in the core: windows of the current view, and acts on its rows.
import { call, callBytes } from '../../../../api/call'
import { toFailure } from '../../../../api/errors'
import { translateSentence } from '../../../../api/sentences'
import type {
  BulkAct,
  GridEdited,
  GridPasted,
  GridPasteMode,
  GridRows,
  GridUnsent,
} from '../../../../api/generated'
import { m } from '../../../../gen/words'
import { pack } from '../../../../grid/engine/bytes'
import type { WindowRequest } from '../../../../grid/engine/blocks'
import type { PastePlan } from '../../../../grid/engine/clip'
import type { Intervals } from '../../../../grid/engine/intervals'
import type { SelectionGroup } from '../../../../grid/engine/selection'
import type { CellEdit, GridAct, GridSource, EditOutcome } from '../../../../grid/engine/source'
import { visible } from '../../../../lib/text'
import { askAboutLost } from '../../../../parts/act/lost-opt-outs'
import type { ListView, BuiltView } from './view.svelte'

/** What it needs of the workspace: the view, and the titles of columns. */
interface SourceContext {
  readonly view: ListView
  title: (column: string) => string
  refusal: (cell: { field: string; text: string | null; message: string }) => string
}

/** The most rows whose drafts are reverted at once. */
const MOST_REVERTED = 500
/** The most values of a column that a cell offers. */
const MOST_VALUES = 100
/** The offset of the number of rows in the bytes of a window. */
const ROWS_AT = 12

/** The result of a paste, and the mode that was used. */
export type PasteResult = GridPasted & { readonly mode: GridPasteMode }

/** Pastes at once, or after the user has confirmed a preview; undefined if the user cancels. */
export type ConfirmPaste = (request: PasteRequest, special: boolean) => Promise<PasteResult | undefined>

export interface PasteRequest {
  view: number
  generation: number
  at: number
  columns: string[]
  rows: string[][]
  into: GridRows | null
}

export const toWireRows = (rows: Intervals): GridRows => rows.pairs.map(([from, to]) => [from, to])

/** Converts acts of the grid, including those that the core has only as a combination of others. */
export function toCoreAct(act: Exclude<GridAct, { revert: true }>): BulkAct {
  if ('series' in act) {
    const { start, step, prefix, pad } = act.series
    return { series: { start: Number(start), step: Number(step), prefix, pad } }
  }
  return act
}

export class ListSource implements GridSource {
  readonly #of: SourceContext
  readonly #view: ListView
  readonly #askPaste: ConfirmPaste

  constructor(of: SourceContext, askPaste: ConfirmPaste) {
    this.#of = of
    this.#view = of.view
    this.#askPaste = askPaste
  }

  window = async (ask: WindowRequest, signal: AbortSignal): Promise<ArrayBuffer> => {
    const { view, generation } = this.#currentView
    const { from, count, columns } = ask
    const request = { view, generation, from, count, columns: [...columns] }
    let bytes: ArrayBuffer
    try {
      bytes = await callBytes('grid_window', request, signal)
    } catch (error) {
      if (toFailure(error).code !== 'conflict') throw error
      // The core has closed the view to make room for others. It is opened again, and then requests these rows.
      bytes = pack(generation, from, [], 0)
    }
    // No rows means that the generation is out of date; the state has the current one.
    if (count > 0 && new DataView(bytes).getUint32(ROWS_AT, true) === 0) void this.#view.checkForChanges()
    return bytes
  }

  edit = async (cells: readonly CellEdit[]): Promise<EditOutcome> => {
    const { view, generation } = this.#currentView
    const sent = cells.map(({ row, column, text }) => ({ row, field: column, text }))
    const request = { view, generation, cells: sent, region: null }
    const edited = await this.#runFollowed(call('grid_edit', request))
    askAboutLost(edited.lost_opt_outs)
    // Use the same message as in the editor and in the status bar.
    const faults = edited.faults.map(({ row, field, message }) => {
      const cell = sent.find((one) => one.row === row && one.field === field)
      return { row, field, message: this.#of.refusal({ field, text: cell?.text ?? null, message }) }
    })
    return toOutcome({ ...edited, faults })
  }

  paste = async (plan: PastePlan, special: boolean): Promise<EditOutcome | undefined> => {
    const pasted = await this.#runFollowed(this.#askPaste(this.#toPasteRequest(plan), special))
    if (pasted === undefined) return undefined
    askAboutLost(pasted.lost_opt_outs)
    if (pasted.added > 0) await this.#view.checkForChanges()
    return { ...pastedOf(pasted), isTransposed: pasted.mode === 'transposed' }
  }

  fillIn = async (plan: PastePlan): Promise<EditOutcome> => {
    const request = { ...this.#toPasteRequest(plan), mode: 'plain', region: null } as const
    const pasted = await this.#runFollowed(call('grid_paste', request))
    askAboutLost(pasted.lost_opt_outs)
    return pastedOf(pasted)
  }

  act = async (groups: readonly SelectionGroup[], act: GridAct): Promise<EditOutcome | undefined> => {
    if ('revert' in act) return this.#revertDrafts(groups)
    const [first, ...more] = groups.map(({ rows, columns }) => ({
      rows: toWireRows(rows),
      columns: [...columns],
    }))
    if (first === undefined) return { changed: 0 }
    const { view, generation } = this.#currentView
    const request = { view, generation, ...first, more, act: toCoreAct(act), preview: false }
    const edited = await this.#runFollowed(call('grid_act', request))
    askAboutLost(edited.lost_opt_outs)
    return toOutcome(edited)
  }

  edge = async (row: number, column: string, back: boolean): Promise<number> => {
    const { view, generation } = this.#currentView
    const request = { view, generation, row, column, direction: back ? 'up' : 'down' } as const
    return (await this.#runFollowed(call('grid_edge', request))).row
  }

  copy = async (rows: Intervals, columns: readonly string[], headings: boolean): Promise<string> => {
    const { view } = this.#currentView
    const titles = headings ? columns.map((column) => this.#of.title(column)) : []
    const bytes = await callBytes('grid_copy', {
      view,
      rows: toWireRows(rows),
      columns: [...columns],
      headings: titles,
    })
    return new TextDecoder().decode(bytes)
  }

  check = async (column: string, text: string, row: number): Promise<string | undefined> => {
    if (text === '') return undefined
    const { view, generation } = this.#currentView
    const { faults } = await call('grid_act', {
      view,
      generation,
      rows: [[row, row + 1]],
      columns: [column],
      act: { set: text },
      preview: true,
    })
    const [fault] = faults
    return fault && this.#of.refusal({ field: column, text, message: translateSentence(fault.message) })
  }

  values = async (column: string): Promise<readonly string[]> => {
    const { values } = await call('grid_facets', {
      view: this.#currentView.view,
      field: column,
      most: MOST_VALUES,
    })
    return values.flatMap(({ value }) => value ?? [])
  }

  explain = async (row: number, column: string): Promise<string | undefined> => {
    const { drafts, unsent } = await call('grid_drafts', { view: this.#currentView.view, row })
    const draft = drafts.find(({ field }) => field === column)
    if (draft !== undefined) return this.#of.refusal(draft)
    return describeServiceValue(unsent, column)
  }

  /** Replaces drafts by the values that the cells still have. */
  async #revertDrafts(groups: readonly SelectionGroup[]): Promise<EditOutcome> {
    const { view } = this.#currentView
    const cells: CellEdit[] = []
    let rows = 0
    for (const { rows: chosen, columns } of groups) {
      for (const row of chosen.rows()) {
        if ((rows += 1) > MOST_REVERTED) break
        const { drafts } = await call('grid_drafts', { view, row })
        for (const { field, value } of drafts)
          if (columns.includes(field)) cells.push({ row, column: field, text: value })
      }
    }
    return cells.length === 0 ? { changed: 0 } : this.edit(cells)
  }

  #toPasteRequest({ row, columns, rows, into }: PastePlan): PasteRequest {
    const { view, generation } = this.#currentView
    return {
      view,
      generation,
      at: row,
      columns: [...columns],
      rows: rows.map((line) => [...line]),
      into: into === undefined ? null : into.map(([from, to]) => [from, to]),
    }
  }

  /** Awaits an act. If the core refuses it because rows have moved, loads the current state. */
  async #runFollowed<T>(act: Promise<T>): Promise<T> {
    try {
      return await this.#view.follow(act)
    } catch (error) {
      if (toFailure(error).code === 'conflict') void this.#view.checkForChanges()
      throw error
    }
  }

  get #currentView(): BuiltView {
    const { built } = this.#view
    if (built === undefined) throw new Error('no rows are in view')
    return built
  }
}

/** Describes the service's value of a cell that was changed here. */
export function describeServiceValue(unsent: GridUnsent | null, column: string): string | undefined {
  if (unsent === null || typeof unsent === 'string') return undefined
  const agreed = unsent.edited.find(({ field }) => field === column)
  if (agreed === undefined) return undefined
  if (agreed.is_conflict)
    return agreed.value === ''
      ? m.contacts_conflict_blank()
      : m.contacts_conflict({ value: visible(agreed.value) })
  return agreed.value === ''
    ? m.contacts_changed_from_blank()
    : m.contacts_changed_from({ value: visible(agreed.value) })
}

const faultOf = ({ row, field, message }: { row: number; field: string; message: string }) => ({
  row,
  column: field,
  message,
})

export function toOutcome({ changed, drafts, faults }: GridEdited): EditOutcome {
  return { changed, drafts, faults: faults.map(faultOf) }
}

function pastedOf({ changed, added, drafts, faults }: GridPasted): EditOutcome {
  return { changed, added, drafts, faults: faults.map(faultOf) }
}
