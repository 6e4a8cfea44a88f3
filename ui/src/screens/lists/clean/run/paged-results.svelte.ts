// A page of results with one open item; stepping continues across pages.
import type { Failure } from '../../../../api/errors'
import { createLoad } from '../../../../api/loader.svelte'
import type { CleanRun, RunStatus } from './clean-run.svelte'

interface ResultPage<Item> {
  items: Item[]
  total_pages: number
}

export abstract class PagedResults<S extends RunStatus, Item, A extends ResultPage<Item>> {
  page = $state(1)
  answer = $state.raw<A>()
  /** The position of the open item on its page. */
  openIndex = $state(0)
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
  get position(): number {
    return (this.page - 1) * this.size + this.openIndex
  }

  abstract open(at: number): Promise<void>
  protected abstract fetchPage(): Promise<[S, A]>
  /** Returns the position of the item to open; a negative number keeps the current position. */
  protected abstract findItemToOpen(answer: A): number
  protected abstract loadOpenItem(): Promise<void>

  goTo(page: number, at = 0): Promise<void> {
    this.page = page
    this.openIndex = at
    return this.load()
  }

  async next(): Promise<boolean> {
    if (this.openIndex + 1 < this.items.length) await this.open(this.openIndex + 1)
    else if (this.page < (this.answer?.total_pages ?? 0)) await this.goTo(this.page + 1)
    else return false
    return true
  }

  async previous(): Promise<boolean> {
    if (this.openIndex > 0) await this.open(this.openIndex - 1)
    else if (this.page > 1) await this.goTo(this.page - 1, this.size - 1)
    else return false
    return true
  }

  /** Loads the page and the open item. When an item was decided, the next one takes its place. */
  readonly load = createLoad(this, async () => {
    let [status, answer] = await this.fetchPage()
    const last = Math.max(1, answer.total_pages)
    if (this.page > last) {
      this.page = last
      this.openIndex = this.size
      ;[status, answer] = await this.fetchPage()
    }
    this.run.status = status
    this.answer = answer
    const found = this.findItemToOpen(answer)
    this.openIndex = Math.max(0, found >= 0 ? found : Math.min(this.openIndex, answer.items.length - 1))
    await this.loadOpenItem()
  })
}
