// Windows of rows: decoded as packed, requested once, cancelled when nobody waits, limited in number.
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { Blocks, BLOCK, type WindowRequest } from '../engine/blocks'
import { CELL, pack, ROW, Window } from '../engine/bytes'
import { Intervals } from '../engine/intervals'

describe('a window', () => {
  it('reads back what was packed, in any script', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constant('Dvořák'),
      fc.constant(null),
    )
    const cell = fc.record({ text, flags: fc.constantFrom(0, CELL.draft) })
    const row = fc.record({ flags: fc.nat(255), cells: fc.array(cell, { minLength: 3, maxLength: 3 }) })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 7 }), fc.nat(3), (rows, shift) => {
        const bytes = new Uint8Array(pack(9, 400, rows, 3))
        // A window within a larger response may begin at any byte.
        const shifted = new Uint8Array(bytes.length + shift)
        shifted.set(bytes, shift)
        const window = new Window(shifted.subarray(shift))
        expect([window.generation, window.from, window.rows, window.columns]).toEqual([
          9,
          400,
          rows.length,
          3,
        ])
        rows.forEach(({ flags, cells }, at) => {
          expect(window.rowFlags[at]).toBe(flags)
          cells.forEach((each, column) => {
            expect(window.text(at, column)).toBe(each.text ?? '')
            expect(window.flags(at, column)).toBe(each.flags | (each.text === null ? CELL.blank : 0))
          })
        })
      }),
      { numRuns: 25 },
    )
  }, 30_000)

  it('refuses bytes that are not a window or are truncated', () => {
    expect(() => new Window(new ArrayBuffer(8))).toThrow('cut short')
    expect(() => new Window(new ArrayBuffer(64))).toThrow('not a window')
    const bytes = pack(1, 0, [{ flags: ROW.gone, cells: [{ text: 'abcdefgh' }] }], 1)
    expect(() => new Window(bytes.slice(0, -8))).toThrow('cut short')
  })
})

interface Waiting {
  ask: WindowRequest
  signal: AbortSignal
  answer: (text?: string) => Promise<void>
  fail: () => Promise<void>
}

function blocksWith(total: number): {
  blocks: Blocks
  waiting: Waiting[]
  failed: unknown[]
  changed: () => number
} {
  const waiting: Waiting[] = []
  const failed: unknown[] = []
  const changed = vi.fn()
  const settle = async (): Promise<void> => {
    for (let at = 0; at < 4; at += 1) await Promise.resolve()
  }
  const blocks = new Blocks(
    (ask, signal) =>
      new Promise((done, fail) => {
        const answer = async (text = 'row'): Promise<void> => {
          const rows = Array.from({ length: ask.count }, (_, at) => ({
            cells: ask.columns.map((column) => ({ text: `${text} ${ask.from + at} ${column}` })),
          }))
          done(pack(ask.generation, ask.from, rows, ask.columns.length))
          await settle()
        }
        const refuse = async (): Promise<void> => {
          fail(new Error('no'))
          await settle()
        }
        waiting.push({ ask, signal, answer, fail: refuse })
      }),
    changed,
    (error) => failed.push(error),
  )
  blocks.fit(1, total, ['a', 'b'])
  return { blocks, waiting, failed, changed: () => changed.mock.calls.length }
}

describe('blocks', () => {
  it('are asked for once, and those ahead only when the view is complete', async () => {
    const { blocks, waiting, changed } = blocksWith(10_000)
    blocks.need(150, 250, 1)
    blocks.need(151, 251, 1)
    expect(waiting.map(({ ask }) => ask.from)).toEqual([0, 200])
    await waiting[0]?.answer()
    await waiting[1]?.answer()
    expect(changed()).toBe(2)
    expect(blocks.text(199, 1)).toBe('row 199 b')
    expect(blocks.text(200, 0)).toBe('row 200 a')
    blocks.need(152, 252, 1)
    expect(waiting.slice(2).map(({ ask }) => ask.from)).toEqual([400, 600])
  })

  it('are no longer waited for once they were passed', async () => {
    const { blocks, waiting } = blocksWith(1_000_000)
    for (let jump = 0; jump < 50; jump += 1) blocks.need(jump * 10_000, jump * 10_000 + 30, 1)
    expect(waiting.filter(({ signal }) => !signal.aborted)).toHaveLength(1)
    expect(blocks.pendingCount).toBe(1)
    await waiting[0]?.answer()
    expect(blocks.loadedCount).toBe(0)
  })

  it('are bounded in number, however far one scrolls', async () => {
    const { blocks, waiting } = blocksWith(1_000_000)
    for (let at = 0; at < 300; at += 1) {
      blocks.need(at * BLOCK, at * BLOCK + 30, 0)
      await waiting[at]?.answer()
    }
    expect(blocks.loadedCount).toBeLessThanOrEqual(40)
    expect(blocks.text(299 * BLOCK, 0)).toBe(`row ${299 * BLOCK} a`)
    expect(blocks.text(0, 0)).toBeUndefined()
  })

  it('of an older generation are shown until the new ones are there', async () => {
    const { blocks, waiting } = blocksWith(1_000)
    blocks.need(0, 30, 0)
    await waiting[0]?.answer('old')
    blocks.fit(2, 1_000, ['a', 'b'])
    expect(blocks.text(3, 0)).toBe('old 3 a')
    blocks.need(0, 30, 0)
    expect(waiting[1]?.ask.generation).toBe(2)
    await waiting[1]?.answer('new')
    expect(blocks.text(3, 0)).toBe('new 3 a')
  })

  it('are requested again if the response belongs to an older generation', async () => {
    const { blocks, waiting } = blocksWith(1_000)
    blocks.need(0, 30, 0)
    blocks.fit(2, 1_000, ['a', 'b'])
    expect(waiting[0]?.signal.aborted).toBe(true)
    await waiting[0]?.answer('old')
    expect(blocks.text(0, 0)).toBeUndefined()
    blocks.need(0, 30, 0)
    expect(waiting).toHaveLength(2)
  })

  it('keep their texts when columns are reordered, and fetch for one that is new', async () => {
    const { blocks, waiting } = blocksWith(1_000)
    blocks.need(0, 30, 0)
    await waiting[0]?.answer()
    blocks.fit(1, 1_000, ['b', 'a'])
    expect(blocks.text(0, 0)).toBe('row 0 b')
    blocks.need(0, 30, 0)
    expect(waiting).toHaveLength(1)
    blocks.fit(1, 1_000, ['b', 'c'])
    expect(blocks.text(0, 0)).toBe('row 0 b')
    blocks.need(0, 30, 0)
    await waiting[1]?.answer()
    expect(blocks.text(0, 1)).toBe('row 0 c')
  })

  it('show what was written until the core sends it back', async () => {
    const { blocks, waiting } = blocksWith(1_000)
    blocks.need(0, 30, 0)
    await waiting[0]?.answer()
    blocks.write(5, 'a', 'mine')
    expect(blocks.text(5, 0)).toBe('mine')
    blocks.stale(Intervals.range(5, 6))
    expect(blocks.text(5, 0)).toBe('mine')
    blocks.need(0, 30, 0)
    await waiting[1]?.answer('theirs')
    expect(blocks.text(5, 0)).toBe('theirs 5 a')
  })

  it('that failed are reported once and requested again when something changes', async () => {
    const { blocks, waiting, failed } = blocksWith(1_000)
    blocks.need(0, 30, 0)
    await waiting[0]?.fail()
    blocks.need(0, 30, 0)
    expect(failed).toHaveLength(1)
    expect(waiting).toHaveLength(1)
    blocks.stale()
    blocks.need(0, 30, 0)
    expect(waiting).toHaveLength(2)
  })

  it('are read for an act, also when nobody looks at them', async () => {
    const { blocks, waiting } = blocksWith(1_000)
    const read = blocks.read(199, 202, ['b'])
    await waiting[0]?.answer()
    // Scrolling on does not cancel a block that somebody waits for.
    blocks.need(900, 930, 1)
    await waiting.find(({ ask }) => ask.from === 200)?.answer()
    await expect(read).resolves.toEqual([['row 199 b'], ['row 200 b'], ['row 201 b']])
  })
})
