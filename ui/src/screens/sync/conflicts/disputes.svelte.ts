// The disputes as one goes through them: a stretch of rows, the one in view, and what is decided about it.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import { coalesce } from '../../../lib/coalesce'
import { nextUndecided } from './resolve'
import type { Settled } from './settled.svelte'
import {
  keyText,
  type Answer,
  type Choice,
  type Confirmed,
  type Page,
  type RecordKey,
  type Row,
  type Rule,
} from './types'

/** Rows in the list at once; the core gives at most 200 an answer. */
export const SIZE = 200

export class Disputes {
  page = $state.raw<Page>()
  failure = $state.raw<Failure>()
  /** Only rows with a dispute about this field; null: all. */
  field = $state<string | null>(null)
  number = $state(1)
  #key = $state('')
  /** Where the row in view stands, so that its neighbour follows it when it is settled. */
  #at = 0
  readonly rows: readonly Row[] = $derived(this.page?.rows ?? [])
  readonly row = $derived(this.rows.find((one) => keyText(one.key) === this.#key) ?? this.rows[0])
  readonly at = $derived(this.row === undefined ? -1 : this.rows.indexOf(this.row))
  readonly total = $derived(this.page?.total ?? 0)
  readonly pages = $derived(Math.max(1, Math.ceil(this.total / SIZE)))

  readonly load = coalesce(async () => {
    try {
      this.page = await this.#ask()
      if (this.page.rows.length === 0 && this.page.total > 0) {
        this.number = this.pages
        this.page = await this.#ask()
      }
      if (!this.rows.some((one) => keyText(one.key) === this.#key)) {
        const next = this.rows[Math.min(this.#at, this.rows.length - 1)]
        this.#key = next === undefined ? '' : keyText(next.key)
      }
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  #ask(): Promise<Page> {
    return call('conflicts_page', {
      noun: null,
      field: this.field,
      from: (this.number - 1) * SIZE,
      count: SIZE,
    })
  }

  choose(row: Row): void {
    this.#key = keyText(row.key)
    this.#at = this.rows.indexOf(row)
  }

  /** A row by its key, on whatever page it is. */
  async find(key: RecordKey): Promise<void> {
    this.#key = keyText(key)
    await this.load()
    while (this.row !== undefined && keyText(this.row.key) !== keyText(key) && this.number < this.pages) {
      this.number += 1
      this.#key = keyText(key)
      await this.load()
    }
  }

  /** The next or previous row, also over the end of a page; answers whether there is one. */
  async step(by: 1 | -1): Promise<boolean> {
    const next = this.rows[this.at + by]
    if (next !== undefined) {
      this.choose(next)
      return true
    }
    const page = this.number + by
    if (page < 1 || page > this.pages) return false
    await this.turn(page)
    const row = by === 1 ? this.rows[0] : this.rows.at(-1)
    if (row !== undefined) this.choose(row)
    return true
  }

  turn(page: number): Promise<void> {
    this.number = page
    this.#at = 0
    return this.load()
  }

  narrow(field: string | null): Promise<void> {
    this.field = field
    return this.turn(1)
  }

  /** No field: the whole row. Alike: all rows with a dispute about the same field. */
  async answer(row: Row, field: string | null, answer: Answer | null, alike = false): Promise<Settled> {
    this.#at = this.rows.indexOf(row)
    const done = await call('conflicts_answer', { keys: [row.key], field, answer, alike })
    await this.load()
    return done
  }

  /** Alike: all opt-outs that are open; only possible where they are created again. */
  async decide(
    row: Row,
    choice: Choice | null,
    { confirmed = null, alike = false }: { confirmed?: Confirmed | null; alike?: boolean } = {},
  ): Promise<number> {
    const { left } = await call('conflicts_choose', { key: row.key, choice, confirmed, alike })
    await this.load()
    // A record whose answer waits for the next plan stays in the list; what is open follows it.
    const next = choice === null ? undefined : nextUndecided(this.rows, this.at)
    if (next !== undefined) this.choose(next)
    return left
  }

  async rule(field: string, rule: Rule): Promise<Settled> {
    const done = await call('conflicts_rule', { field, rule })
    await this.load()
    return done
  }
}
