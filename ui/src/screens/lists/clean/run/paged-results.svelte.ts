// A page of results with one open item; stepping continues across pages.
import { toFailure, type Failure } from '../../../../api/errors'
import { coalesce } from '../../../../lib/coalesce'
import type { CleanRun, RunStatus } from './run.svelte'

interface ResultPage<Item> {
  items: Item[]
  total_pages: number
}

export abstract class ResultWalk<S extends RunStatus, Item, A extends ResultPage<Item>> {
  page = $state(1)
  answer = $state.raw<A>()
  /** The position of the open item on its page. */
  at = $state(0)
  failure = $state.raw<Failure>()
  abstract readonly run: CleanRun<S>

  constructor(private readonly size: number) {}

  get state(): S | undefined {
    return this.run.status
  }
  get items(): readonly Item[] {
    return this.answer?.items ?? []
  }
  /** The position of the open item among all results. */
  get place(): number {
    return (this.page - 1) * this.size + this.at
  }

  abstract open(at: number): Promise<void>
  protected abstract asked(): Promise<[S, A]>
  /** Returns the position of the item to open; a negative number keeps the current position. */
  protected abstract sought(answer: A): number
  protected abstract show(): Promise<void>

  goTo(page: number, at = 0): Promise<void> {
    this.page = page
    this.at = at
    return this.load()
  }

  async next(): Promise<boolean> {
    if (this.at + 1 < this.items.length) await this.open(this.at + 1)
    else if (this.page < (this.answer?.total_pages ?? 0)) await this.goTo(this.page + 1)
    else return false
    return true
  }

  async previous(): Promise<boolean> {
    if (this.at > 0) await this.open(this.at - 1)
    else if (this.page > 1) await this.goTo(this.page - 1, this.size - 1)
    else return false
    return true
  }

  /** Loads the page and the open item. When an item was decided, the next one takes its place. */
  readonly load = coalesce(async () => {
    try {
      let [status, answer] = await this.asked()
      const last = Math.max(1, answer.total_pages)
      if (this.page > last) {
        this.page = last
        this.at = this.size
        ;[status, answer] = await this.asked()
      }
      this.run.status = status
      this.answer = answer
      const found = this.sought(answer)
      this.at = Math.max(0, found >= 0 ? found : Math.min(this.at, answer.items.length - 1))
      await this.show()
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })
}
