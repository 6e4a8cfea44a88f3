// Text in an open cell editor is saved however the grid is left.
import { afterEach, expect, it, vi } from 'vitest'
import { pack } from '../engine/bytes'
import { PLAIN_LAYOUT } from '../engine/columns'
import type { CellEdit, EditOutcome } from '../engine/source'
import { Renderer } from '../view/renderer'
import { gridTexts } from '../words'

const saved = vi.fn()
const unfinished = vi.fn<(is: boolean) => void>()
let endSaving: () => void = () => undefined

function createRenderer(): Renderer {
  const host = document.createElement('div')
  document.body.append(host)
  const edit = (cells: readonly CellEdit[]): Promise<EditOutcome> => {
    saved(cells)
    return new Promise((done) => (endSaving = () => done({ changed: 1 })))
  }
  const act = async (): Promise<EditOutcome> => ({ changed: 0 })
  const renderer = new Renderer(host, {
    source: {
      window: async ({ generation, from, columns }) => pack(generation, from, [], columns.length),
      edit,
      paste: act,
      act,
    },
    texts: gridTexts,
    label: 'Contacts',
    keyboard: { mac: false, browser: false },
    hooks: {
      failed: vi.fn(),
      selectionChanged: vi.fn(),
      layout: vi.fn(),
      sort: vi.fn(),
      open: () => false,
      add: () => false,
      remove: () => false,
      menu: vi.fn(),
      columnMenu: vi.fn(),
      filterTo: () => false,
      unfinished,
      copyText: async () => true,
    },
  })
  renderer.engine.arrange([{ id: 'name', title: 'Name', width: 100 }], PLAIN_LAYOUT)
  renderer.engine.show({ generation: 1, total: 1, isExact: true })
  renderer.engine.writing.begin(true)
  return renderer
}

afterEach(() => {
  vi.clearAllMocks()
  document.body.replaceChildren()
})

it('saves the typed text when the grid is removed', () => {
  const renderer = createRenderer()
  renderer.engine.writing.feed({ on: 'input', text: 'Ann' })
  renderer.destroy()
  expect(saved).toHaveBeenCalledExactlyOnceWith([{ row: 0, column: 'name', text: 'Ann' }])
})

it('is unfinished from the first character until the text is saved', async () => {
  const { engine } = createRenderer()
  expect(unfinished).toHaveBeenLastCalledWith(false)
  engine.writing.feed({ on: 'input', text: 'Ann' })
  expect(unfinished).toHaveBeenLastCalledWith(true)

  const finished = vi.fn()
  const finishing = engine.writing.finish().then(finished)
  await Promise.resolve()
  expect(saved).toHaveBeenCalledOnce()
  expect(finished).not.toHaveBeenCalled()
  expect(unfinished).toHaveBeenLastCalledWith(true)
  endSaving()
  await finishing
  expect(unfinished).toHaveBeenLastCalledWith(false)
})
