// A look-up of many numbers, sent in slices to show progress, and read page by page.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import type { CheckVerdict, Commands } from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'
import { splitIntoSlices } from '../numbers'

export const MOST = 100_000
export const PAGE_SIZE = 100
/** What the core reads within 50 ms. */
const SLICE = 2000
const MOST_PER_PAGE = 200

type LookupAnswer = Commands['opt_out_check_page']['response']

export class LookupState {
  text = $state('')
  only = $state<CheckVerdict | 'all'>('all')
  page = $state(1)
  progress = $state<{ done: number; total: number }>()
  answer = $state.raw<LookupAnswer>()
  failure = $state.raw<Failure>()
  #lookup: number | undefined

  async run(lines: readonly string[], region: string | null): Promise<void> {
    this.failure = undefined
    this.answer = undefined
    this.progress = { done: 0, total: lines.length }
    try {
      let lookup: number | null = null
      for (const numbers of splitIntoSlices(lines, SLICE)) {
        const started: { lookup: number } = await call('opt_out_check', { lookup, numbers, region })
        lookup = started.lookup
        this.progress = { done: Math.min(this.progress.done + SLICE, lines.length), total: lines.length }
      }
      if (lookup === null) return
      this.#lookup = lookup
      this.only = 'all'
      await this.show(1)
    } catch (error) {
      this.failure = toFailure(error)
    } finally {
      this.progress = undefined
    }
  }

  show(page: number): Promise<void> {
    this.page = page
    return this.#refresh()
  }

  // One request at a time, so that the response to an older choice cannot arrive after a newer one.
  readonly #refresh = coalesce(async () => {
    if (this.#lookup === undefined) return
    try {
      this.answer = await this.#read(this.#lookup, this.only, this.page, PAGE_SIZE)
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  /** Returns every line of the chosen verdict. */
  async loadAll(): Promise<LookupAnswer['items']> {
    const { only } = this
    const found: LookupAnswer['items'] = []
    if (this.#lookup === undefined) return found
    for (let page = 1; ; page += 1) {
      const answer = await this.#read(this.#lookup, only, page, MOST_PER_PAGE)
      found.push(...answer.items)
      if (page >= answer.total_pages) return found
    }
  }

  #read(
    lookup: number,
    only: CheckVerdict | 'all',
    page_number: number,
    page_size: number,
  ): Promise<LookupAnswer> {
    return call('opt_out_check_page', {
      lookup,
      only: only === 'all' ? null : only,
      page_number,
      page_size,
    })
  }
}
