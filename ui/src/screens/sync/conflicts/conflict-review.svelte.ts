// The conflicts under review: a page of rows, the selected one, and the answers to it.
import { call } from '../../../api/call'
import type { Failure } from '../../../api/errors'
import { createLoad } from '../../../api/loader.svelte'
import { findNextUndecided } from './resolve'
import type { ResolvedConflicts } from './resolved-conflicts.svelte'
import {
  toKeyText,
  type ConflictAnswer,
  type ConflictChoice,
  type ConfirmedOptOutRemoval,
  type ConflictPage,
  type RecordKey,
  type ConflictRow,
  type ConflictRule,
} from './types'

/** Rows per page; the core returns at most 200 per response. */
export const CONFLICTS_PER_PAGE = 200

export class ConflictReview {
  page = $state.raw<ConflictPage>()
  failure = $state.raw<Failure>()
  /** Shows only rows with a conflict in this field; null for all. */
  field = $state<string | null>(null)
  number = $state(1)
  #selectedKey = $state('')
  /** The position of the selected row, so that its neighbour replaces it when it is resolved. */
  #selectedAt = 0
  readonly rows: readonly ConflictRow[] = $derived(this.page?.rows ?? [])
  readonly row = $derived(this.rows.find((one) => toKeyText(one.key) === this.#selectedKey) ?? this.rows[0])
  readonly at = $derived(this.row === undefined ? -1 : this.rows.indexOf(this.row))
  readonly total = $derived(this.page?.total ?? 0)
  readonly pages = $derived(Math.max(1, Math.ceil(this.total / CONFLICTS_PER_PAGE)))

  readonly load = createLoad(this, async () => {
    this.page = await this.#loadPage()
    if (this.page.rows.length === 0 && this.page.total > 0) {
      this.number = this.pages
      this.page = await this.#loadPage()
    }
    if (!this.rows.some((one) => toKeyText(one.key) === this.#selectedKey)) {
      const next = this.rows[Math.min(this.#selectedAt, this.rows.length - 1)]
      this.#selectedKey = next === undefined ? '' : toKeyText(next.key)
    }
  })

  #loadPage(): Promise<ConflictPage> {
    return call('conflicts_page', {
      noun: null,
      field: this.field,
      from: (this.number - 1) * CONFLICTS_PER_PAGE,
      count: CONFLICTS_PER_PAGE,
    })
  }

  choose(row: ConflictRow): void {
    this.#selectedKey = toKeyText(row.key)
    this.#selectedAt = this.rows.indexOf(row)
  }

  /** Selects a row by its key, on whatever page it is. */
  async find(key: RecordKey): Promise<void> {
    this.#selectedKey = toKeyText(key)
    await this.load()
    while (this.row !== undefined && toKeyText(this.row.key) !== toKeyText(key) && this.number < this.pages) {
      this.number += 1
      this.#selectedKey = toKeyText(key)
      await this.load()
    }
  }

  /** Goes to the next or previous row, also across pages; returns whether there is one. */
  async step(by: 1 | -1): Promise<boolean> {
    const next = this.rows[this.at + by]
    if (next !== undefined) {
      this.choose(next)
      return true
    }
    const page = this.number + by
    if (page < 1 || page > this.pages) return false
    await this.goToPage(page)
    const row = by === 1 ? this.rows[0] : this.rows.at(-1)
    if (row !== undefined) this.choose(row)
    return true
  }

  goToPage(page: number): Promise<void> {
    this.number = page
    this.#selectedAt = 0
    return this.load()
  }

  filterByField(field: string | null): Promise<void> {
    this.field = field
    return this.goToPage(1)
  }

  /** Answers a conflict. Without a field, the answer is about the whole row; with `alike`, about all rows with a
   *  conflict in that field. */
  async answer(
    row: ConflictRow,
    field: string | null,
    answer: ConflictAnswer | null,
    alike = false,
  ): Promise<ResolvedConflicts> {
    this.#selectedAt = this.rows.indexOf(row)
    const done = await call('conflicts_answer', { keys: [row.key], field, answer, alike })
    await this.load()
    return done
  }

  /** Decides a record. `alike` decides all open opt-outs, which is possible only if they are created again. */
  async decide(
    row: ConflictRow,
    choice: ConflictChoice | null,
    { confirmed = null, alike = false }: { confirmed?: ConfirmedOptOutRemoval | null; alike?: boolean } = {},
  ): Promise<number> {
    this.#selectedAt = this.rows.indexOf(row)
    const { left } = await call('conflicts_choose', { key: row.key, choice, confirmed, alike })
    await this.load()
    // A record whose answer waits for the next plan stays in the list, so go on to the next open one. Another record
    // has taken the place of one that is gone.
    const next = this.row?.choice === null ? undefined : findNextUndecided(this.rows, this.at)
    if (next !== undefined) this.choose(next)
    return left
  }

  async rule(field: string, rule: ConflictRule): Promise<ResolvedConflicts> {
    const done = await call('conflicts_rule', { field, rule })
    await this.load()
    return done
  }
}
