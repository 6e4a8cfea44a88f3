// The engine as a whole: random key presses compared with plain arithmetic, and the requests that writing sends to the
// source.
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { pack } from '../engine/bytes'
import { PLAIN_LAYOUT } from '../engine/columns'
import { Engine } from '../engine/engine'
import type { KeyAct } from '../engine/keys'
import type { GridSource, EngineHooks, EditOutcome, GridAnnouncement } from '../engine/source'

const COLUMNS = ['a', 'b', 'c', 'd'].map((id) => ({ id, title: id.toUpperCase(), width: 100 }))
const TOTAL = 5_000

interface Asked {
  edit: unknown[]
  paste: unknown[]
  act: unknown[]
}

function engineWith(more: Partial<GridSource> = {}): {
  engine: Engine
  asked: Asked
  announced: GridAnnouncement[]
  hooks: EngineHooks
} {
  const asked: Asked = { edit: [], paste: [], act: [] }
  const announced: GridAnnouncement[] = []
  const done: EditOutcome = { changed: 1 }
  const answer =
    (of: keyof Asked) =>
    async (...given: unknown[]): Promise<EditOutcome> => {
      asked[of].push(given.length === 1 ? given[0] : given)
      return done
    }
  const hooks: EngineHooks = {
    changed: vi.fn(),
    announce: (one) => announced.push(one),
    failed: (error) => {
      throw error
    },
    selectionChanged: vi.fn(),
    layout: vi.fn(),
    sort: vi.fn(),
    open: vi.fn(() => true),
    add: vi.fn(() => true),
    remove: vi.fn(() => true),
    menu: vi.fn(),
    columnMenu: vi.fn(),
    filterTo: vi.fn(() => true),
    editing: vi.fn(),
    unfinished: vi.fn(),
    copyText: vi.fn(async () => true),
  }
  const source: GridSource = {
    window: async ({ generation, from, count, columns }) =>
      pack(
        generation,
        from,
        Array.from({ length: count }, (_, at) => ({
          cells: columns.map((column) => ({ text: column === 'd' ? null : `${column}${from + at}` })),
        })),
        columns.length,
      ),
    edit: answer('edit'),
    paste: answer('paste'),
    act: answer('act'),
    ...more,
  }
  const engine = new Engine(source, hooks)
  engine.arrange(COLUMNS, PLAIN_LAYOUT)
  engine.measure({ rowHeight: 30, height: 300, width: 250, scale: 1 })
  engine.show({ generation: 1, total: TOTAL, isExact: true })
  return { engine, asked, announced, hooks }
}

async function loaded(engine: Engine): Promise<void> {
  engine.fetch()
  await vi.waitFor(() => expect(engine.blocks.has(engine.scroll.first, engine.scroll.first + 1)).toBe(true))
}

const to = fc.constantFrom('up' as const, 'down' as const, 'start' as const, 'end' as const)
const press: fc.Arbitrary<KeyAct> = fc.oneof(
  fc.record({ act: fc.constantFrom('step' as const, 'page' as const), to, extends: fc.boolean() }),
  fc.record({
    act: fc.constant('bound' as const),
    to: fc.constantFrom('start' as const, 'end' as const),
    whole: fc.boolean(),
    extends: fc.boolean(),
  }),
  fc.record({
    act: fc.constant('next' as const),
    along: fc.constantFrom('row' as const, 'column' as const),
    back: fc.boolean(),
  }),
  fc.constantFrom<KeyAct>({ act: 'select-rows' }, { act: 'select-columns' }, { act: 'cancel' }),
)

describe('the focus', () => {
  it('is always on a cell, in view, and within what is chosen, whatever is pressed', () => {
    const { engine } = engineWith()
    fc.assert(
      fc.property(fc.array(press, { minLength: 1, maxLength: 25 }), (presses) => {
        engine.go(0, 'a')
        for (const each of presses) {
          engine.act(each)
          const { focus, selection, scroll, columns } = engine
          expect(focus.row >= 0 && focus.row < TOTAL && focus.column >= 0 && focus.column < 4).toBe(true)
          expect(selection.contains(focus.row, focus.column)).toBe(true)
          const seen =
            'extends' in each && each.extends ? selection.head : selection.isSingle ? focus : undefined
          if (seen === undefined) continue
          expect(seen.row >= scroll.first && seen.row < scroll.first + scroll.page).toBe(true)
          const start = (columns.starts[seen.column] ?? 0) - engine.x
          expect(start >= 0 && start + 100 <= engine.scrollingWidth).toBe(true)
        }
      }),
    )
  })

  it('is in the column that is selected after everything was', () => {
    const { engine } = engineWith()
    const start = { act: 'bound', to: 'start', whole: false, extends: true } as const
    engine.act({ act: 'bound', to: 'end', whole: false, extends: true })
    engine.act({ act: 'next', along: 'row', back: false })
    for (const each of [
      { act: 'select-columns' },
      { act: 'select-rows' },
      start,
      { act: 'select-columns' },
    ] as const)
      engine.act(each)
    expect([engine.focus.column, engine.selection.contains(engine.focus.row, engine.focus.column)]).toEqual([
      1,
      true,
    ])
  })

  it('comes back to the column where Tab began, and goes round within a range', () => {
    const { engine } = engineWith()
    for (const along of ['row', 'row', 'column'] as const) engine.act({ act: 'next', along, back: false })
    expect(engine.focus).toEqual({ row: 1, column: 0 })
    engine.choose({ row: 1, column: 1 }, 'only')
    engine.choose({ row: 2, column: 2 }, 'extend')
    const walk = Array.from({ length: 4 }, () => {
      engine.act({ act: 'next', along: 'row', back: false })
      return `${engine.focus.row}${engine.focus.column}`
    })
    expect(walk).toEqual(['12', '21', '22', '11'])
    expect(engine.selection.size).toBe(4)
  })

  it('comes back there also when the cells are typed into on the way, and not after another move', () => {
    const { engine } = engineWith()
    const typed = (text: string, on: 'tab' | 'enter'): void => {
      engine.act({ act: 'type' })
      engine.writing.feed({ on: 'input', text })
      engine.writing.feed({ on, back: false })
    }
    engine.go(2, 'b')
    typed('x', 'tab')
    typed('y', 'enter')
    expect(engine.focus).toEqual({ row: 3, column: 1 })
    engine.act({ act: 'next', along: 'row', back: false })
    engine.act({ act: 'clear' })
    engine.act({ act: 'next', along: 'column', back: false })
    expect(engine.focus).toEqual({ row: 4, column: 1 })
    engine.act({ act: 'next', along: 'row', back: false })
    engine.act({ act: 'step', to: 'down', extends: false })
    engine.act({ act: 'next', along: 'column', back: false })
    expect(engine.focus).toEqual({ row: 6, column: 2 })
  })

  it('leaves to the screen what has no meaning there', () => {
    const { engine, hooks } = engineWith()
    for (const act of ['filter-to-value', 'delete-rows', 'add-row', 'open'] as const)
      expect(engine.act({ act })).toBe(true)
    for (const name of ['filterTo', 'remove', 'add', 'open'] as const)
      vi.mocked(hooks[name]).mockReturnValue(false)
    for (const act of ['filter-to-value', 'delete-rows', 'add-row', 'open'] as const)
      expect(engine.act({ act })).toBe(false)
  })

  it('leaves the grid by Tab only at its ends', () => {
    const { engine } = engineWith()
    expect(engine.act({ act: 'next', along: 'row', back: true })).toBe(false)
    engine.go(TOTAL - 1, 'd')
    expect(engine.act({ act: 'next', along: 'row', back: false })).toBe(false)
  })

  it('asks the source for the edge of the data; later presses wait for it, a choice by hand does not', async () => {
    let answer: (row: number) => void = () => undefined
    const { engine } = engineWith({ edge: () => new Promise((done) => (answer = done)) })
    engine.act({ act: 'edge', to: 'down', extends: true })
    answer(700)
    await vi.waitFor(() => expect(engine.selection.head.row).toBe(700))
    await vi.waitFor(() => expect(engine.isWaiting).toBe(false))
    engine.act({ act: 'edge', to: 'down', extends: false })
    engine.act({ act: 'step', to: 'end', extends: false })
    engine.act({ act: 'step', to: 'up', extends: true })
    expect(engine.focus).toEqual({ row: 0, column: 0 })
    answer(4_000)
    await vi.waitFor(() => expect(engine.focus).toEqual({ row: 4_000, column: 1 }))
    expect(engine.selection.head).toEqual({ row: 3_999, column: 1 })
    engine.act({ act: 'edge', to: 'down', extends: false })
    engine.choose({ row: 7, column: 2 }, 'only')
    answer(4_500)
    await vi.waitFor(() => expect(engine.isWaiting).toBe(false))
    expect(engine.focus).toEqual({ row: 7, column: 2 })
  })

  it('stays on its column when columns are moved, and on a row when rows go', () => {
    const { engine } = engineWith()
    engine.go(4_999, 'b')
    engine.arrange(COLUMNS, { ...PLAIN_LAYOUT, order: ['c', 'a', 'b', 'd'] })
    expect(engine.columns.ids[engine.focus.column]).toBe('b')
    engine.show({ generation: 2, total: 10, isExact: true })
    expect(engine.focus.row).toBe(9)
  })
})

describe('writing', () => {
  it('fills down from the row above, or from the first of what is chosen', async () => {
    const { engine, asked } = engineWith()
    engine.go(5, 'b')
    await engine.writing.fill('down')
    engine.choose({ row: 9, column: 1 }, 'extend')
    await engine.writing.fill('down')
    expect(
      JSON.parse(
        JSON.stringify(asked.act.map((one) => (one as [{ rows: { pairs: unknown } }[]])[0][0]?.rows.pairs)),
      ),
    ).toEqual([[[4, 6]], [[5, 10]]])
    engine.go(0, 'a')
    await engine.writing.fill('down')
    expect(asked.act).toHaveLength(2)
  })

  it('leaves columns alone that cannot be changed', async () => {
    const { engine, asked, announced } = engineWith()
    engine.arrange([{ id: 'a', title: 'A', isReadOnly: true }, ...COLUMNS.slice(1)], PLAIN_LAYOUT)
    await loaded(engine)
    engine.act({ act: 'edit' })
    expect(announced.at(-1)).toEqual({ kind: 'refused', why: 'read-only' })
    engine.act({ act: 'select-rows' })
    await engine.writing.act('clear', { clear: true })
    expect(asked.act[0]).toMatchObject([[{ columns: ['b', 'c', 'd'] }], { clear: true }])
  })

  it('copies and goes on with what the handle was dragged over', async () => {
    const { engine, asked } = engineWith()
    await loaded(engine)
    const from = { top: 1, bottom: 3, left: 0, right: 2 }
    await engine.writing.drag(from, { ...from, bottom: 6 }, false)
    await engine.writing.drag(from, { ...from, bottom: 5 }, true)
    await engine.writing.drag(from, { ...from, right: 3 }, false)
    const [copied, series, across] = asked.paste.map((one) => (one as unknown[])[0])
    expect(copied).toEqual({
      row: 3,
      columns: ['a', 'b'],
      rows: [
        ['a1', 'b1'],
        ['a2', 'b2'],
      ],
      into: [[3, 6]],
    })
    expect(series).toEqual({
      row: 3,
      columns: ['a', 'b'],
      rows: [
        ['a3', 'b3'],
        ['a4', 'b4'],
      ],
    })
    expect(across).toEqual({ row: 1, columns: ['c'], rows: [['a1'], ['a2']] })
  })

  it('fills as far down as the column beside it goes, at a double click on the handle', async () => {
    const edge = vi.fn(async () => 7)
    const { engine, asked } = engineWith({ edge })
    await loaded(engine)
    engine.go(2, 'b')
    await engine.writing.fillBeside(false)
    expect(edge).toHaveBeenLastCalledWith(2, 'a', false)
    expect(asked.paste.at(-1)).toEqual([{ row: 3, columns: ['b'], rows: [['b2']], into: [[3, 8]] }, false])
    expect(engine.selection.rect).toEqual({ top: 2, bottom: 8, left: 1, right: 2 })
    // There is no column to the left of the first one, so the one to the right counts.
    engine.go(2, 'a')
    await engine.writing.fillBeside(true)
    expect(edge).toHaveBeenLastCalledWith(2, 'b', false)
    // Beside an empty column there is no end to fill to.
    engine.arrange(COLUMNS, { ...PLAIN_LAYOUT, shown: { b: false, a: false } })
    engine.go(2, 'c')
    await engine.writing.fillBeside(false)
    expect(edge).toHaveBeenCalledTimes(2)
  })

  it('chooses what was pasted, turned round where the paste was', async () => {
    const { engine } = engineWith()
    await loaded(engine)
    engine.go(2, 'b')
    await engine.writing.paste([
      ['x', 'y'],
      ['x', 'y'],
      ['x', 'y'],
    ])
    expect(engine.selection.rect).toEqual({ top: 2, bottom: 5, left: 1, right: 3 })
    expect(engine.focus).toEqual({ row: 2, column: 1 })
    const turned = engineWith({ paste: async () => ({ changed: 2, isTransposed: true }) }).engine
    turned.go(2, 'b')
    await turned.writing.paste([['x'], ['y'], ['z']])
    expect(turned.selection.rect).toEqual({ top: 2, bottom: 3, left: 1, right: 4 })
  })

  it('pastes one value into every one of several ranges', async () => {
    const { engine, asked } = engineWith()
    await loaded(engine)
    engine.go(1, 'b')
    engine.choose({ row: 4, column: 2 }, 'add')
    await engine.writing.paste([['x']])
    expect(asked.act[0]).toMatchObject([[{ columns: ['b'] }, { columns: ['c'] }], { set: 'x' }])
    await engine.writing.paste([['x', 'y']])
    expect(asked.paste).toHaveLength(1)
  })

  it('announces a copy only when it is on the clipboard', async () => {
    const { engine, announced, hooks } = engineWith()
    await loaded(engine)
    vi.mocked(hooks.copyText).mockResolvedValueOnce(false)
    await engine.writing.copy(false)
    expect(announced.at(-1)).toEqual({ kind: 'refused', why: 'clipboard' })
    engine.choose({ row: 1, column: 1 }, 'extend')
    await engine.writing.copy(true)
    expect(vi.mocked(hooks.copyText).mock.lastCall?.[0]).toBe('A\tB\na0\tb0\na1\tb1')
    expect(announced.at(-1)).toEqual({ kind: 'copied', rows: 2, cells: 4, cut: false })
    // Two ranges that do not form a block.
    engine.choose({ row: 7, column: 3 }, 'add')
    await engine.writing.copy(false)
    expect(announced.at(-1)).toEqual({ kind: 'refused', why: 'not-a-block' })
  })

  it('leaves large copies to the core', async () => {
    const copy = vi.fn(async () => undefined)
    const { engine, announced, hooks } = engineWith({ copy })
    engine.act({ act: 'select-all' })
    await vi.waitFor(() => expect(engine.selection.size).toBe(TOTAL * 4))
    await engine.writing.copy(false)
    expect(copy).toHaveBeenCalledOnce()
    expect(hooks.copyText).not.toHaveBeenCalled()
    expect(announced.at(-1)).toMatchObject({ kind: 'copied', cells: TOTAL * 4 })
  })
})
