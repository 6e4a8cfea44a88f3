// The loaded rows, in blocks of 200. Drops the least recently used block, requests each block once, and cancels a
// request that nobody waits for any more.
import { Window } from './bytes'
import type { Intervals } from './intervals'

export const BLOCK = 200
/** Enough for the view, its surroundings and some rows behind it; about ten megabytes of text at worst. */
const MOST_BLOCKS = 40
/** How many blocks are prefetched in the direction of scrolling. */
const AHEAD = 2
const MOST_CELLS_READ = 200_000

export interface WindowRequest {
  readonly generation: number
  readonly from: number
  readonly count: number
  readonly columns: readonly string[]
}

export type FetchWindow = (ask: WindowRequest, signal: AbortSignal) => Promise<ArrayBuffer | Uint8Array>

export interface Block {
  readonly window: Window
  /** The position of each shown column in the window; -1 if the window does not have it. */
  readonly places: readonly number[]
  /** Shown until its replacement is loaded. */
  isStale: boolean
}

interface PendingBlock {
  readonly abort: AbortController
  readonly done: Promise<void>
  /** Somebody waits for the block, so it is not cancelled when it leaves the view. */
  isKept: boolean
}

export class Blocks {
  #fetch: FetchWindow
  #changed: () => void
  #handleFailure: (error: unknown) => void
  #blocks = new Map<number, Block>()
  #requestedBlocks = new Map<number, PendingBlock>()
  /** Texts written here that the core has not returned yet, by row and column. */
  #written = new Map<number, Map<string, string>>()
  #columns: readonly string[] = []
  #shown: readonly string[] = []
  #generation = 0
  #total = 0
  /** Blocks that failed are not requested again until something changes. */
  #failedBlocks = new Set<number>()

  constructor(fetch: FetchWindow, changed: () => void, failed: (error: unknown) => void) {
    this.#fetch = fetch
    this.#changed = changed
    this.#handleFailure = failed
  }

  get loadedCount(): number {
    return this.#blocks.size
  }

  get pendingCount(): number {
    return this.#requestedBlocks.size
  }

  /** Follows the view. Blocks of an older generation are shown until they are replaced. */
  fit(generation: number, total: number, shown: readonly string[]): void {
    const isNewer = generation !== this.#generation
    const wanted = shown.filter((id) => !this.#columns.includes(id))
    if (isNewer || wanted.length > 0) this.#markStale()
    if (total < this.#total || isNewer) this.#failedBlocks.clear()
    if (total > this.#total) this.#markStaleFrom(this.#total)
    this.#generation = generation
    this.#total = total
    if (wanted.length > 0) this.#columns = [...shown]
    if (shown !== this.#shown) {
      this.#shown = shown
      // The loaded windows remain; only the positions of the shown columns in them change.
      for (const [at, block] of this.#blocks)
        if (!wanted.length) this.#blocks.set(at, { ...block, places: this.#findPlaces(this.#columns) })
    }
  }

  /** Returns the block of a row, if it is loaded. */
  findBlock(row: number): Block | undefined {
    return this.#blocks.get(Math.floor(row / BLOCK))
  }

  /** Returns the text of a cell; undefined while it is loading. */
  text(row: number, column: number): string | undefined {
    const written = this.#written.get(row)?.get(this.#shown[column] ?? '')
    if (written !== undefined) return written
    const block = this.findBlock(row)
    const place = block?.places[column] ?? -1
    if (block === undefined || place === -1 || row - block.window.from >= block.window.rows) return undefined
    return block.window.text(row - block.window.from, place)
  }

  /** Returns the texts written here in a row, by column. */
  written(row: number): ReadonlyMap<string, string> | undefined {
    return this.#written.size === 0 ? undefined : this.#written.get(row)
  }

  cellFlags(row: number, column: number): number {
    const block = this.findBlock(row)
    const place = block?.places[column] ?? -1
    return block === undefined || place === -1 ? 0 : block.window.flags(row - block.window.from, place)
  }

  rowFlags(row: number): number {
    const block = this.findBlock(row)
    return block?.window.rowState(row - block.window.from) ?? 0
  }

  /** Returns whether any loaded row has a flag. */
  hasFlag(flag: number): boolean {
    return [...this.#blocks.values()].some(({ window }) =>
      window.rowFlags.some((flags) => (flags & flag) !== 0),
    )
  }

  /** Shows a written text before the core has responded. */
  write(row: number, column: string, text: string): void {
    const cells = this.#written.get(row) ?? new Map<string, string>()
    this.#written.set(row, cells.set(column, text))
  }

  /** Marks rows as changed in the core, so that they are requested again when they are in view. */
  stale(rows?: Intervals): void {
    for (const [at, block] of this.#blocks)
      if (rows === undefined || isTouching(rows, at)) block.isStale = true
    for (const [at, asked] of this.#requestedBlocks)
      if (rows === undefined || isTouching(rows, at)) {
        asked.abort.abort()
        this.#requestedBlocks.delete(at)
      }
    this.#failedBlocks.clear()
    // A written text is shown until its block is loaded again. Rows without a block will not be loaded, so drop theirs.
    for (const row of this.#written.keys())
      if (!this.#blocks.has(Math.floor(row / BLOCK))) this.#dropWritten(row)
    this.#changed()
  }

  /** Requests the blocks in view and the next ones, and cancels requests for blocks that were passed. */
  need(first: number, end: number, direction: number): void {
    if (this.#total === 0) return
    const last = Math.floor((this.#total - 1) / BLOCK)
    const from = Math.floor(first / BLOCK)
    const to = Math.min(last, Math.floor(Math.max(first, end - 1) / BLOCK))
    const low = Math.max(0, from - (direction < 0 ? AHEAD : 0))
    const high = Math.min(last, to + (direction > 0 ? AHEAD : 0))
    for (const [at, asked] of this.#requestedBlocks) {
      if ((at >= low && at <= high) || asked.isKept) continue
      asked.abort.abort()
      this.#requestedBlocks.delete(at)
    }
    for (let at = from; at <= to; at += 1) this.#requestBlock(at)
    // Prefetch only once the view is complete, so that it never delays the view.
    if (direction === 0 || this.#isMissing(from, to)) return
    for (let at = low; at <= high; at += 1) this.#requestBlock(at)
  }

  /** Returns the texts of a block of cells, after loading missing rows. */
  async read(from: number, to: number, columns: readonly string[]): Promise<string[][]> {
    if ((to - from) * columns.length > MOST_CELLS_READ) throw new RangeError('too many cells to read at once')
    const places = columns.map((id) => this.#shown.indexOf(id))
    const rows: string[][] = []
    for (let at = Math.floor(from / BLOCK); at * BLOCK < to; at += 1) {
      await this.#waitForBlock(at)
      for (let row = Math.max(from, at * BLOCK); row < Math.min(to, (at + 1) * BLOCK); row += 1)
        rows.push(places.map((place) => this.text(row, place) ?? ''))
    }
    return rows
  }

  /** Returns whether all rows are loaded, so that they can be read synchronously. */
  has(from: number, to: number): boolean {
    for (let at = Math.floor(from / BLOCK); at * BLOCK < to; at += 1) if (!this.#blocks.has(at)) return false
    return true
  }

  drop(): void {
    for (const { abort } of this.#requestedBlocks.values()) abort.abort()
    this.#requestedBlocks.clear()
    this.#blocks.clear()
    this.#written.clear()
  }

  #isMissing(from: number, to: number): boolean {
    for (let at = from; at <= to; at += 1)
      if (!this.#blocks.has(at) && !this.#failedBlocks.has(at)) return true
    return false
  }

  async #waitForBlock(at: number): Promise<void> {
    this.#failedBlocks.delete(at)
    this.#requestBlock(at)
    const asked = this.#requestedBlocks.get(at)
    if (asked === undefined) return
    asked.isKept = true
    await asked.done
    if (!this.#blocks.has(at)) throw new Error('the rows could not be read')
  }

  #requestBlock(at: number): void {
    const block = this.#blocks.get(at)
    if (block !== undefined) {
      // Reinsert it as the most recently used block.
      this.#blocks.delete(at)
      this.#blocks.set(at, block)
      if (!block.isStale) return
    }
    if (this.#requestedBlocks.has(at) || this.#failedBlocks.has(at)) return
    const abort = new AbortController()
    const asked: PendingBlock = { abort, isKept: false, done: this.#load(at, abort) }
    this.#requestedBlocks.set(at, asked)
  }

  async #load(at: number, abort: AbortController): Promise<void> {
    const columns = this.#columns
    const generation = this.#generation
    const from = at * BLOCK
    const count = Math.min(BLOCK, this.#total - from)
    try {
      const bytes = await this.#fetch({ generation, from, count, columns }, abort.signal)
      if (abort.signal.aborted) return
      const window = new Window(bytes)
      const isStale = generation !== this.#generation || columns !== this.#columns
      this.#blocks.delete(at)
      this.#blocks.set(at, { window, places: this.#findPlaces(columns), isStale })
      for (const row of this.#written.keys()) if (Math.floor(row / BLOCK) === at) this.#dropWritten(row)
      this.#evict()
    } catch (error) {
      if (abort.signal.aborted) return
      this.#failedBlocks.add(at)
      this.#handleFailure(error)
    } finally {
      if (this.#requestedBlocks.get(at)?.abort === abort) this.#requestedBlocks.delete(at)
    }
    this.#changed()
  }

  #dropWritten(row: number): void {
    this.#written.delete(row)
  }

  #evict(): void {
    for (const at of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) return
      this.#blocks.delete(at)
    }
  }

  #markStale(): void {
    for (const block of this.#blocks.values()) block.isStale = true
    for (const { abort, isKept } of this.#requestedBlocks.values()) if (!isKept) abort.abort()
    for (const [at, { isKept }] of this.#requestedBlocks) if (!isKept) this.#requestedBlocks.delete(at)
    this.#failedBlocks.clear()
  }

  /** Marks the block of a row and all later ones as stale, because added rows extend the last block. */
  #markStaleFrom(row: number): void {
    const block = this.#blocks.get(Math.floor(row / BLOCK))
    if (block !== undefined) block.isStale = true
  }

  #findPlaces(columns: readonly string[]): readonly number[] {
    return this.#shown.map((id) => columns.indexOf(id))
  }
}

function isTouching(rows: Intervals, at: number): boolean {
  const { flat } = rows
  for (let i = 0; i < flat.length; i += 2)
    if ((flat[i] ?? 0) < (at + 1) * BLOCK && (flat[i + 1] ?? 0) > at * BLOCK) return true
  return false
}
