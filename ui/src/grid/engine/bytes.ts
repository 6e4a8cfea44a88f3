// Reads a window of rows in the format of the core (RRG1) in place: offsets and flags are views of the same bytes, and
// a column is decoded when its first cell is read.

const MAGIC = 0x31475252
const HEAD = 20
const DECODER = new TextDecoder()

export const ROW = {
  smsReach: 0b11,
  whatsappReach: 0b1100,
  gone: 16,
  left: 32,
  draft: 64,
  duplicate: 128,
  /** These two do not fit into the byte that the core packs; they come from the first cell of the row. */
  added: 256,
  deleted: 512,
  /** Set by the screen: the record of the row has unsaved text. */
  unsaved: 1024,
} as const
export const CELL = { blank: 1, draft: 2, changed: 4, added: 8, conflict: 16 } as const

export class Window {
  readonly generation: number
  readonly from: number
  readonly rows: number
  readonly columns: number
  readonly rowFlags: Uint8Array
  readonly #bytes: Uint8Array
  readonly #offsets: Uint32Array[] = []
  readonly #flags: Uint8Array[] = []
  readonly #starts: number[] = []
  readonly #texts: (string[] | undefined)[] = []

  constructor(given: ArrayBuffer | Uint8Array) {
    const bytes = alignBytes(given)
    const { buffer, byteOffset, byteLength } = bytes
    if (byteLength < HEAD) throw new RangeError(`a window of rows is cut short: ${byteLength} bytes`)
    const head = new Uint32Array(buffer, byteOffset, HEAD / 4)
    const [magic = 0, generation = 0, from = 0, rows = 0, columns = 0] = head
    if (magic !== MAGIC) throw new RangeError(`not a window of rows: it begins with ${magic.toString(16)}`)
    this.generation = generation
    this.from = from
    this.rows = rows
    this.columns = columns
    this.#bytes = bytes
    let at = HEAD
    const take = (length: number): number => {
      const start = at
      at += length + (-length & 3)
      if (start + length > byteLength) throw new RangeError(`a window of rows is cut short at byte ${start}`)
      return byteOffset + start
    }
    this.rowFlags = new Uint8Array(buffer, take(rows), rows)
    for (let column = 0; column < columns; column += 1) {
      const offsets = new Uint32Array(buffer, take((rows + 1) * 4), rows + 1)
      this.#offsets.push(offsets)
      this.#flags.push(new Uint8Array(buffer, take(rows), rows))
      this.#starts.push(take(offsets[rows] ?? 0) - byteOffset)
      this.#texts.push(undefined)
    }
  }

  /** Returns the flags of a row; `row` counts from the first row of the window. */
  rowState(row: number): number {
    const flags = this.rowFlags[row] ?? 0
    const cell = this.#flags[0]?.[row] ?? 0
    if ((cell & CELL.added) !== 0) return flags | ROW.added
    return (flags & ROW.gone) !== 0 && (cell & CELL.changed) !== 0 ? flags | ROW.deleted : flags
  }

  /** Returns the flags of a cell; `row` counts from the first row of the window. */
  flags(row: number, column: number): number {
    return this.#flags[column]?.[row] ?? CELL.blank
  }

  text(row: number, column: number): string {
    const texts = (this.#texts[column] ??= this.#decode(column))
    return texts[row] ?? ''
  }

  /** Decodes a whole column at once and slices it, which is many times faster than decoding each cell. */
  #decode(column: number): string[] {
    const offsets = this.#offsets[column] ?? new Uint32Array(1)
    const start = this.#starts[column] ?? 0
    const length = offsets[this.rows] ?? 0
    const bytes = this.#bytes.subarray(start, start + length)
    const all = DECODER.decode(bytes)
    const texts: string[] = []
    // If every byte is one character, byte offsets are also offsets in the text.
    const isPlain = all.length === length
    for (let row = 0; row < this.rows; row += 1) {
      const from = offsets[row] ?? 0
      const to = offsets[row + 1] ?? 0
      texts.push(isPlain ? all.slice(from, to) : DECODER.decode(bytes.subarray(from, to)))
    }
    return texts
  }
}

/** Copies the bytes if they do not start at a multiple of four, as views of four-byte numbers require. */
function alignBytes(given: ArrayBuffer | Uint8Array): Uint8Array {
  if (!(given instanceof Uint8Array)) return new Uint8Array(given)
  return given.byteOffset % 4 === 0 ? given : given.slice()
}

export interface PackedCell {
  text: string | null
  flags?: number
}

/** Packs a window; used by the fakes of tests and benchmarks. */
export function pack(
  generation: number,
  from: number,
  rows: readonly { flags?: number; cells: readonly PackedCell[] }[],
  columns: number,
): ArrayBuffer {
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = []
  const put = (bytes: Uint8Array): void => {
    parts.push(bytes, new Uint8Array(-bytes.length & 3))
  }
  const numbers = (values: readonly number[]): void => put(new Uint8Array(Uint32Array.from(values).buffer))
  numbers([MAGIC, generation, from, rows.length, columns])
  put(Uint8Array.from(rows, (row) => row.flags ?? 0))
  for (let column = 0; column < columns; column += 1) {
    const cells = rows.map((row) => row.cells[column] ?? { text: null })
    const texts = cells.map(({ text }) => encoder.encode(text ?? ''))
    let end = 0
    numbers([0, ...texts.map((text) => (end += text.length))])
    put(Uint8Array.from(cells, ({ text, flags }) => (flags ?? 0) | (text === null ? CELL.blank : 0)))
    const all = new Uint8Array(end)
    let at = 0
    for (const text of texts) {
      all.set(text, at)
      at += text.length
    }
    put(all)
  }
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole.buffer
}
