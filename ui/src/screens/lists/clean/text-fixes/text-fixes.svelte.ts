// The page's view of the suggested fixes of a list: the suggestions in view, the open one with its rows, and the
// selection.
import { call } from '../../../../api/call'
import { toFailure } from '../../../../api/errors'
import type {
  CleanMended,
  PageResponse,
  CleanRowsAnswer,
  CleanState,
  CleanSuggestion,
  GridRows,
} from '../../../../api/generated'
import { Intervals } from '../../../../grid/engine/intervals'
import { createRunCache } from '../run/run-cache'
import { CleanRun } from '../run/clean-run.svelte'
import { PagedResults } from '../run/paged-results.svelte'

/** There are at most as many suggestions as kinds times fields, so a second page is rare. */
export const SUGGESTIONS_PER_PAGE = 100
export const ROWS_PER_PAGE = 50

export class TextFixes extends PagedResults<CleanState, CleanSuggestion, PageResponse<CleanSuggestion>> {
  readonly run: CleanRun<CleanState>
  isSkipped = $state(false)
  rowsPage = $state(1)
  rows = $state.raw<CleanRowsAnswer>()
  /** The positions of the selected rows in the open suggestion. */
  chosen = $state.raw<Intervals>(Intervals.EMPTY)
  /** The suggestion to which `rows` and `chosen` belong. */
  #shownKey = ''
  /** Identifies the open suggestion in a later run, where its number differs. */
  #openName: string | undefined

  constructor(readonly list: string) {
    super(SUGGESTIONS_PER_PAGE)
    this.run = new CleanRun<CleanState>(
      list,
      {
        open: () => call('clean_open', { list }),
        state: (id, wait_ms) => call('clean_state', { id, wait_ms }),
        refresh: (id) => call('clean_refresh', { id }),
        cancel: (id) => call('clean_cancel', { id }),
        close: (id) => call('clean_close', { id }),
      },
      () => this.load(),
    )
  }

  get openSuggestion(): CleanSuggestion | undefined {
    return this.items[this.openIndex]
  }

  /** Shows the skipped suggestions or the undecided ones. */
  showSkipped(isSkipped: boolean): Promise<void> {
    this.isSkipped = isSkipped
    this.#openName = undefined
    return this.goTo(1)
  }

  async open(at: number): Promise<void> {
    this.openIndex = at
    await this.loadOpenItem()
  }

  protected fetchPage(): Promise<[CleanState, PageResponse<CleanSuggestion>]> {
    const id = this.state?.id ?? 0
    return Promise.all([
      call('clean_state', { id, wait_ms: null }),
      call('clean_page', {
        id,
        page_number: this.page,
        page_size: SUGGESTIONS_PER_PAGE,
        skipped: this.isSkipped,
      }),
    ])
  }

  protected findItemToOpen({ items }: PageResponse<CleanSuggestion>): number {
    return items.findIndex((one) => nameSuggestion(one) === this.#openName)
  }

  protected loadOpenItem(): Promise<void> {
    this.#openName = nameSuggestion(this.openSuggestion)
    return this.#loadRows()
  }

  /** Loads the rows of the open suggestion. The selection is dropped if the suggestion or its rows have changed. */
  async #loadRows(): Promise<void> {
    const { openSuggestion: suggestion } = this
    const id = this.state?.id
    const shown = suggestion === undefined ? '' : `${id} ${suggestion.suggestion} ${suggestion.generation}`
    if (shown !== this.#shownKey) {
      this.#shownKey = shown
      this.chosen = Intervals.EMPTY
      this.rowsPage = 1
      this.rows = undefined
    }
    if (suggestion === undefined || id === undefined) return
    const page = { page_number: this.rowsPage, page_size: ROWS_PER_PAGE }
    const rows = await call('clean_rows', { id, suggestion: suggestion.suggestion, ...page })
    if (this.openSuggestion?.suggestion === suggestion.suggestion) this.rows = rows
  }

  async goToRows(page: number): Promise<void> {
    this.rowsPage = page
    try {
      await this.#loadRows()
    } catch (error) {
      this.failure = toFailure(error)
    }
  }

  choose(place: number, isChosen: boolean): void {
    const row = Intervals.range(place, place + 1)
    this.chosen = isChosen ? this.chosen.union(row) : this.chosen.subtract(row)
  }

  chooseAll(isChosen: boolean): void {
    this.chosen = isChosen ? Intervals.range(0, this.openSuggestion?.rows ?? 0) : Intervals.EMPTY
  }

  /** Applies the selected fixes, or all. */
  apply(which: 'chosen' | 'all'): Promise<CleanMended> {
    return this.#sendFixes(which, false)
  }

  /** Returns what applying all would do. */
  preview(signal: AbortSignal): Promise<CleanMended> {
    return this.#sendFixes('all', true, signal)
  }

  #sendFixes(which: 'chosen' | 'all', preview: boolean, signal?: AbortSignal): Promise<CleanMended> {
    const { openSuggestion: suggestion, rows } = this
    const isAll = which === 'all' || this.chosen.size === suggestion?.rows
    const request = {
      id: this.state?.id ?? 0,
      suggestion: suggestion?.suggestion ?? 0,
      generation: rows?.generation ?? null,
      rows: isAll ? null : this.chosen.pairs.map(([from, to]): GridRows[number] => [from, to]),
      preview,
    }
    return call('clean_apply', request, signal)
  }

  async skip(): Promise<void> {
    const { openSuggestion: suggestion } = this
    const id = this.state?.id
    if (suggestion === undefined || id === undefined) return
    await call('clean_skip', { id, suggestion: suggestion.suggestion, skipped: !this.isSkipped })
    this.#openName = undefined
    await this.load()
  }
}

function nameSuggestion(suggestion: CleanSuggestion | undefined): string | undefined {
  return suggestion && `${suggestion.kind} ${suggestion.field}`
}

export const getTextFixes = createRunCache((list: string) => new TextFixes(list))
