// A source for the grid without a core: a million generated rows in a worker.
import { Intervals } from '../../../ui/src/grid/engine/intervals'
import type { GridSource, EditOutcome } from '../../../ui/src/grid/engine/source'
import type { Asked } from './fake.worker'
import { ROWS, textOf } from './rows'

export interface Fake extends GridSource {
  /** The calls it received, for tests. */
  readonly calls: unknown[]
  readonly windows: { asked: number; dropped: number }
}

const MOST = 200_000

export function makeFake(onrows: (total: number) => void): Fake {
  const worker = new Worker(new URL('./fake.worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, (bytes: ArrayBuffer) => void>()
  worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; bytes: ArrayBuffer }>) => {
    waiting.get(data.id)?.(data.bytes)
    waiting.delete(data.id)
  })
  let asked = 0
  let total = ROWS
  const calls: unknown[] = []
  const windows = { asked: 0, dropped: 0 }
  const ask = (message: Omit<Asked, 'id'>): Promise<ArrayBuffer> => {
    asked += 1
    const id = asked
    return new Promise((done) => {
      waiting.set(id, done)
      worker.postMessage({ id, ...message })
    })
  }
  const write = async (edits: readonly (readonly [number, string, string | null])[]): Promise<EditOutcome> => {
    await ask({ edits })
    const drafts = edits.filter(
      ([, column, text]) => column === 'phone_number' && text !== null && !/^\+\d{7,15}$/.test(text),
    ).length
    return { changed: edits.length - drafts, drafts }
  }
  return {
    calls,
    windows,
    window: (window, signal) => {
      windows.asked += 1
      signal.addEventListener('abort', () => (windows.dropped += 1))
      return ask({ window })
    },
    edit: (cells) => {
      calls.push({ edit: cells })
      return write(cells.map(({ row, column, text }) => [row, column, text]))
    },
    paste: async (plan, special) => {
      calls.push({ paste: { ...plan, rows: plan.rows.length }, special })
      const rows = plan.into === undefined ? [] : [...Intervals.of(plan.into).rows()]
      const target = rows.length > 0 ? rows : plan.rows.map((_, at) => plan.row + at)
      const outcome = await write(
        target.flatMap((row, at) =>
          plan.columns.map((column, place) => {
            const text = plan.rows[at % plan.rows.length]?.[place] ?? ''
            return [row, column, text === '' ? null : text] as const
          }),
        ),
      )
      const end = Math.max(total, (target.at(-1) ?? 0) + 1)
      const added = end - total
      if (added > 0) onrows((total = end))
      return { ...outcome, added }
    },
    act: async (groups, act) => {
      calls.push({ act, groups: groups.map(({ rows, columns }) => ({ rows: rows.pairs, columns })) })
      const edits: [number, string, string | null][] = []
      let cells = 0
      for (const { rows, columns } of groups) {
        cells += rows.size * columns.length
        const first = rows.first ?? 0
        for (const row of rows.rows()) {
          if (edits.length >= MOST) break
          for (const column of columns) {
            if ('set' in act) edits.push([row, column, act.set])
            else if ('clear' in act) edits.push([row, column, null])
            else if ('fill' in act)
              edits.push(
                act.fill === 'down'
                  ? [row, column, textOf(first, column)]
                  : [row, column, textOf(row, columns[0] ?? '')],
              )
          }
        }
      }
      return { ...(await write(edits)), changed: cells }
    },
    edge: async (row, column, back) => {
      const by = back ? -1 : 1
      const isFilled = (at: number): boolean => textOf(at, column) !== ''
      let at = row
      const start = isFilled(at) && isFilled(at + by)
      while (at + by >= 0 && at + by < total && (start ? isFilled(at + by) : at === row || !isFilled(at)))
        at += by
      return at
    },
    check: async (column, text) =>
      column === 'phone_number' && !/^\+\d{7,15}$/.test(text)
        ? 'A phone number has a plus sign, the country code and up to 15 digits.'
        : undefined,
    explain: async () => 'A phone number has a plus sign, the country code and up to 15 digits.',
    copy: async (rows, columns) =>
      [...rows.rows()].map((row) => columns.map((column) => textOf(row, column)).join('\t')).join('\n'),
  }
}
