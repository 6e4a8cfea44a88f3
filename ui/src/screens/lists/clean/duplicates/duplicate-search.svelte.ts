// The page's view of a search for duplicates: the groups in view, the open one, and the actions on them.
import { call } from '../../../../api/call'
import { toFailure } from '../../../../api/errors'
import type {
  DuplicateGroupHead,
  DuplicateGroupWhole,
  DuplicateKey,
  PageResponse,
  DuplicateState,
  SurvivorRule,
} from '../../../../api/generated'
import { createRunCache } from '../run/run-cache'
import { CleanRun } from '../run/clean-run.svelte'
import { PagedResults } from '../run/paged-results.svelte'
import { GUESS } from './words'

export const PAGE = 25

interface SearchOptions {
  key: DuplicateKey | null
  least_confidence: number
  skipped: boolean
}

/** Guesses are shown only on request. */
const DEFAULT_SEARCH: SearchOptions = { key: null, least_confidence: GUESS, skipped: false }

export class DuplicateSearch extends PagedResults<
  DuplicateState,
  DuplicateGroupHead,
  PageResponse<DuplicateGroupHead>
> {
  readonly run: CleanRun<DuplicateState>
  /** The keys by which the groups in view were found. */
  by: readonly DuplicateKey[] = []
  rule = $state<SurvivorRule>('most_complete')
  options = $state.raw<SearchOptions>(DEFAULT_SEARCH)
  whole = $state.raw<DuplicateGroupWhole>()
  /** A contact whose group should be opened when it is loaded. */
  member: string | undefined

  constructor(readonly list: string | null) {
    super(PAGE)
    this.run = new CleanRun<DuplicateState>(
      list,
      {
        open: () => call('duplicate_open', { list, by: [...this.by] }),
        state: (id, wait_ms) => call('duplicate_state', { id, wait_ms }),
        refresh: (id) => call('duplicate_refresh', { id }),
        cancel: (id) => call('duplicate_cancel', { id }),
        close: (id) => call('duplicate_close', { id }),
      },
      () => this.load(),
    )
  }

  get isNarrowed(): boolean {
    const leavesOut = this.options.least_confidence > 0 && (this.state?.groups ?? 0) > 0
    return this.options.key !== null || leavesOut
  }

  /** Searches by other keys. */
  async seek(by: readonly DuplicateKey[]): Promise<void> {
    this.by = by
    this.options = DEFAULT_SEARCH
    this.page = 1
    this.openIndex = 0
    await this.run.open()
  }

  narrow(patch: Partial<SearchOptions>): Promise<void> {
    this.options = { ...this.options, ...patch }
    this.page = 1
    this.openIndex = 0
    return this.load()
  }

  setRule(rule: SurvivorRule): Promise<void> {
    this.rule = rule
    return this.loadOpenItem()
  }

  open(at: number): Promise<void> {
    this.openIndex = at
    return this.loadOpenItem()
  }

  protected async fetchPage(): Promise<[DuplicateState, PageResponse<DuplicateGroupHead>]> {
    const [state, answer] = await this.#fetchPage()
    // If there are only guesses and the user has not set a filter, show them.
    const isOnlyGuesses = this.options === DEFAULT_SEARCH && answer.total_items === 0 && state.groups > 0
    if (!isOnlyGuesses) return [state, answer]
    this.options = { ...DEFAULT_SEARCH, least_confidence: 0 }
    return this.#fetchPage()
  }

  #fetchPage(): Promise<[DuplicateState, PageResponse<DuplicateGroupHead>]> {
    const id = this.state?.id ?? 0
    return Promise.all([
      call('duplicate_state', { id, wait_ms: null }),
      call('duplicate_page', { id, page_number: this.page, page_size: PAGE, ...this.options }),
    ])
  }

  protected findItemToOpen({ items }: PageResponse<DuplicateGroupHead>): number {
    const found = items.findIndex(({ contacts }) => contacts.some(({ uid }) => uid === this.member))
    this.member = undefined
    return found
  }

  protected async loadOpenItem(): Promise<void> {
    const group = this.items[this.openIndex]?.group
    const id = this.state?.id
    if (group === undefined || id === undefined) {
      this.whole = undefined
      return
    }
    try {
      const whole = await call('duplicate_group', { id, group, rule: this.rule })
      if (this.items[this.openIndex]?.group === group) this.whole = whole
    } catch (error) {
      this.failure = toFailure(error)
    }
  }

  /** Skips the open group, or takes it up again. */
  async skip(): Promise<void> {
    const group = this.whole?.group
    const id = this.state?.id
    if (group === undefined || id === undefined) return
    await call('duplicate_skip', { id, groups: [group], skipped: !this.options.skipped })
    await this.load()
  }
}

export const getDuplicateSearch = createRunCache((list: string | null) => new DuplicateSearch(list))
