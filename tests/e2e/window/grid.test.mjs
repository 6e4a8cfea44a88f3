// The grid of contacts in the real window, on a very long list: its last row, the keys, the system's clipboard, acts on
// many rows, and undo after a restart.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { countOf, longList, MANY, numberOf, uidOf } from '../support/long-list.mjs'
import { ownFolder, picture, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { copyElsewhere, fromLibreOffice, tabbed } from '../support/sheets.mjs'
import { openWindow } from '../support/window/open.mjs'

const LAST = MANY - 1
const PASTED = 10_000
const LONG_MS = 240_000
const words = (count) => count.toLocaleString('en-US')

let screen
let folder
let open

before(async () => (screen = await startScreen('1600x900')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  open = []
  await mkdir(join(folder.path, 'account'))
  await longList(join(folder.path, 'account', 'account.roost'), MANY)
})
afterEach(async () => {
  for (const page of open) await page.close()
  await folder.remove()
})

const lineAt = (row) => `main .body .line[aria-rowindex="${row + 2}"]:not([hidden])`

/** Opens the window on the account's only list, with the focus in the grid. */
async function window() {
  const page = await openWindow({ display: screen.display, folder: folder.path })
  open.push(page)
  await until('the account is open', () => page.count('#sidebar'), 30_000)
  const asked = { page_number: 1, page_size: 1, sort_by: 'name', sort_order: 'ASC', name: null }
  const list = (await until('the list is shown', () => page.call('list_page', asked))).items[0].uid
  await page.run("location.hash = '#/lists/' + arguments[0]", list)
  const shows = (row, text, ms) =>
    until(
      `row ${row} shows ${text}`,
      async () => (await page.texts(`${lineAt(row)} [role=gridcell]`)).includes(text),
      ms,
    )
  await shows(0, numberOf(0, MANY), LONG_MS)
  await page.run("document.querySelector('[role=grid]').focus()")
  return {
    ...page,
    list,
    shows,
    /** Waits until the row shows the number that belongs there. */
    standsAt: (row) => shows(row, numberOf(row, MANY)),
    press: async (...chords) => {
      for (const chord of chords) await page.press(chord)
    },
    /** Returns the position and the heading of the focused cell. */
    at: () =>
      page.run(`
        const cell = document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))
        const column = cell.getAttribute('aria-colindex')
        const heading = document.querySelector('[role=columnheader][aria-colindex="' + column + '"] .title')
        return [Number(cell.closest('[role=row]').getAttribute('aria-rowindex')) - 2, heading.textContent, cell.textContent]`),
    done: (text, ms) =>
      until(
        `“${text}” is shown`,
        async () => (await page.texts('[data-testid=toast] .text')).some((shown) => shown.startsWith(text)),
        ms,
      ),
    /** Returns the core's value of a field. */
    held: async (row, field) => (await page.call('contact_get', { uid: uidOf(row, MANY) })).values[field],
  }
}

async function close(page) {
  open = open.filter((other) => other.close !== page.close)
  await page.close()
}

test('the last row is reached by keys and by the thumb, edited, kept over a restart, and undone there', async () => {
  const first = await window()
  await first.press('Control+End')
  await first.standsAt(LAST)
  await soon(async () => assert.equal((await first.at())[0], LAST))
  await soon(async () =>
    assert.equal(
      await first.run("return document.querySelector('[role=grid]').getAttribute('aria-rowcount')"),
      String(MANY + 1),
    ),
  )
  await first.press('Control+Home')
  await first.standsAt(0)
  await until('the thumb leads to the last row', async () => {
    await first.run("const bar = document.querySelector('.bar.down'); bar.scrollTop = bar.scrollHeight")
    return (await first.texts(`${lineAt(LAST)} [role=gridcell]`)).includes(numberOf(LAST, MANY))
  })
  await first.press('Control+End', 'Home', 'ArrowRight', 'ArrowRight')
  await until(
    'the first name of the last',
    async () => (await first.at()).slice(0, 2).join() === `${LAST},First name`,
  )
  const old = await first.held(LAST, 'firstname')
  await first.type('Zoe')
  await until('the field has it', async () => (await first.value('.editor textarea')) === 'Zoe')
  await first.press('Enter')
  await first.shows(LAST, 'Zoe')
  await until('it is saved', async () => (await first.held(LAST, 'firstname')) === 'Zoe')
  await first.press('F2')
  await first.type('bel')
  await first.press('Escape')
  await first.shows(LAST, 'Zoe')
  await first.screenshot(await picture('window-grid'))
  await close(first)

  const second = await window()
  await second.press('Control+End')
  await second.shows(LAST, 'Zoe')
  await second.press('Control+z')
  await second.done('Undone')
  await second.shows(LAST, old)
  await soon(async () => assert.equal(await second.held(LAST, 'firstname'), old))
})

test('the system’s clipboard takes a block and gives back a spreadsheet’s table of ten thousand rows', async () => {
  const page = await window()
  await page.press('ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown', 'Control+c')
  const name = async (row) => [await page.held(row, 'firstname'), await page.held(row, 'lastname')]
  const old = [await name(0), await name(1)]
  await page.press('Escape', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Control+v')
  await page.done('Changed')
  await soon(async () => assert.deepEqual([await name(3), await name(4)], old))
  await page.press('Control+z')
  await page.done('Undone')

  const rows = Array.from({ length: PASTED }, (_, n) => [`Given <${n}>`, `Family\n"${n}"`])
  await copyElsewhere(page.tab, { html: fromLibreOffice('People', rows), text: tabbed(rows) })
  await page.press('Control+Home', 'ArrowRight', 'ArrowRight', 'Control+v')
  const preview = await until(
    'it is shown first',
    () => page.text('dialog[open] [role=status] strong'),
    LONG_MS,
  )
  await page.click('dialog button[type=submit]')
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0, LONG_MS)
  await page.done(`Changed ${/^[\d,.]+/.exec(preview)[0]} cells.`)
  await page.shows(1, 'Given <0>')
  for (const n of [0, 4_999, PASTED - 1]) {
    await soon(async () => assert.equal(await page.held(n + 1, 'firstname'), `Given <${n}>`))
    await soon(async () => assert.equal(await page.held(n + 1, 'lastname'), `Family\n"${n}"`))
  }
  await page.press('Control+z')
  // The message of the first undo may still be shown, so check the cells themselves.
  const untouched = JSON.stringify(old)
  await until(
    'the names are the old ones',
    async () => JSON.stringify([await name(0), await name(1)]) === untouched,
    LONG_MS,
  )
})

test('half of the rows are changed at once, and undone after a restart', async () => {
  const first = await window()
  const half = MANY / 2
  const count = (page) => countOf(page.call, first.list, { field: 'country', op: 'is', value: 'Here' })
  await first.press('Control+g')
  await until('a row is asked for', () => first.count('dialog[open] input'))
  await first.fill('dialog input', String(half))
  await first.press('Enter')
  await first.standsAt(half - 1)
  await first.press('Control+Shift+g')
  await until('a column is asked for', () => first.count('dialog[open] input'))
  await first.fill('dialog input', 'Country')
  await first.press('Enter')
  await until('it is shown and has the keys', async () => (await first.at())[1] === 'Country')
  await first.press('Control+Shift+ArrowUp')
  await until('half of it is chosen', async () =>
    (await first.text('[data-testid=selection]')).includes(`${words(half)} cells`),
  )
  await first.type('Here')
  await first.press('Control+Enter')
  await first.done(`Changed ${words(half)} cells.`, LONG_MS)
  await soon(async () => assert.equal(await count(first), half))
  await close(first)

  const second = await window()
  await soon(async () => assert.equal(await count(second), half))
  await second.press('Control+z')
  await second.done('Undone', LONG_MS)
  await soon(async () => assert.equal(await count(second), 0))
})
