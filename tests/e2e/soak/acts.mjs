// What a user does all day in the window, act by act. Each ends when the window shows its effect and leaves the account
// as it was.
import assert from 'node:assert/strict'
import { drop } from '../support/files.mjs'
import { numberOf } from '../support/long-list.mjs'
import { names, seeOverview } from '../support/journeys.mjs'
import { upload } from '../support/service.mjs'
import { soon, until } from '../support/places.mjs'

const LINE = 'main .body .line:not([hidden])'
const OPENINGS = 3
const EDITS = 5
const IMPORTED = 200
const LONG_MS = 60_000

/** Clicks the link of a list; returns the milliseconds until the grid shows this text. */
const OPEN_LIST = `
  const [name, text, css] = arguments
  const links = [...document.querySelectorAll('main tbody a')]
  const begun = performance.now()
  links.find((link) => link.textContent.trim() === name).click()
  const shows = () => [...document.querySelectorAll(css)].some((cell) => cell.textContent === text)
  return new Promise((done) => {
    const look = () => (shows() ? done(performance.now() - begun) : requestAnimationFrame(look))
    look()
  })`

/** Measures from the next Enter until the grid shows this text in the cell that had the focus. */
const TIME_CELL = `
  const [text] = arguments
  const cell = document.getElementById(
    document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))
  // The grid shows another row in the same element once it scrolls.
  const at = '.line[aria-rowindex="' + cell.closest('[role=row]').getAttribute('aria-rowindex') + '"]:not([hidden]) ' +
    '[aria-colindex="' + cell.getAttribute('aria-colindex') + '"]'
  const shows = () => document.querySelector('.editor:not([hidden])') === null && document.querySelector(at)?.textContent === text
  window.cellTime = new Promise((done) => {
    const begin = ({ key }) => {
      if (key !== 'Enter') return
      removeEventListener('keydown', begin, true)
      const begun = performance.now()
      const look = () => (shows() ? done(performance.now() - begun) : requestAnimationFrame(look))
      look()
    }
    addEventListener('keydown', begin, true)
  })`

/** Moves the thumb to a part of the way. */
const SCROLL = `
  const bar = document.querySelector('.bar.down')
  bar.scrollTop = (bar.scrollHeight - bar.clientHeight) * arguments[0]`

const SECTIONS = ['fields', 'optouts', 'links', 'senders', 'sync/changes', 'server', 'activity', 'trash']

/** Returns the acts. `long` is the list with `rows` rows, `shared` the service's list, `empty` a list without
 *  contacts; `time(name, ms)` records how long an act took. */
export function actsOf({ page, service, long, rows, shared, empty, time }) {
  const { tab, run, count, text } = page
  const press = async (...chords) => {
    for (const chord of chords) await tab.keyboard.press(chord)
  }
  const there = (css) => until(`${css} is there`, () => count(css))
  const gone = (css) => until(`${css} is gone`, async () => (await count(css)) === 0)
  const headed = (title) => until(`${title} is shown`, async () => (await text('main h1')) === title)
  const total = (shown) =>
    until(`there are ${shown}`, async () => (await text('[data-testid=contact-count]')) === shown)
  const standsAt = (row) =>
    until(`row ${row} is shown`, async () => {
      const cells = await page.texts(
        `main .body .line[aria-rowindex="${row + 2}"]:not([hidden]) [role=gridcell]`,
      )
      return cells.includes(numberOf(row, rows))
    })
  const cellText = () =>
    run(`return document.getElementById(
      document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))?.textContent`)

  async function showLists() {
    await press('Control+2')
    await headed('Lists')
    await until('the lists are there', async () => (await names(page)).length === 3)
  }

  async function openList() {
    for (let n = 0; n < OPENINGS; n += 1) {
      await showLists()
      time('list', await run(OPEN_LIST, long, numberOf(0, rows), `${LINE} [role=gridcell]`))
    }
    await tab.getByRole('grid').focus()
  }

  async function answer(chord, value) {
    await press(chord)
    await there('dialog[open] input')
    await page.fill('dialog[open] input', value)
    await press('Enter')
    await gone('dialog')
  }

  async function scroll() {
    await press('Control+End')
    await standsAt(rows - 1)
    for (const part of [0.75, 0.2, 0.5, 0]) {
      await run(SCROLL, part)
      await until('its rows are there', () => count(`${LINE} [role=gridcell]:not(:empty)`))
    }
    await press('PageDown', 'PageDown', 'PageDown', 'Control+Home')
    await standsAt(0)
  }

  /** Types into cells of random rows, one below the other, and undoes them. */
  async function edit(round) {
    const row = Math.floor(Math.random() * (rows - EDITS))
    await answer('Control+g', String(row + 1))
    await standsAt(row)
    await answer('Control+Shift+g', 'First name')
    await there('[role=grid]:focus')
    const old = await cellText()
    for (let n = 0; n < EDITS; n += 1) {
      const value = `Name ${round}.${n}`
      await run(TIME_CELL, value)
      await tab.keyboard.type(value)
      await until('the field has it', async () => (await page.value('.editor textarea')) === value)
      await press('Enter')
      time('cell', await run('return window.cellTime'))
    }
    const shown = `main .body .line[aria-rowindex="${row + 2}"]:not([hidden]) [role=gridcell]`
    assert.ok((await page.texts(shown)).includes(`Name ${round}.0`))
    for (let n = 0; n < EDITS; n += 1) await press('Control+z')
    await until('the first is undone', async () => {
      const cells = await page.texts(shown)
      return cells.includes(old) && !cells.includes(`Name ${round}.0`)
    })
  }

  async function filter() {
    const row = Math.floor(Math.random() * rows)
    await press('Control+Shift+e')
    const panel = tab.getByRole('region', { name: 'Filter' })
    await panel.getByRole('button', { name: 'Add rule', exact: true }).click()
    const rule = panel.getByRole('group', { name: 'Rule' }).last()
    await rule.getByLabel('Field').selectOption({ label: 'Field 2' })
    await rule.getByLabel('Condition').selectOption({ label: 'is' })
    await rule.getByLabel('Value', { exact: true }).fill(numberOf(row, rows))
    await total('1 contact')
    await panel.getByRole('button', { name: 'Clear filter' }).click()
    await total(`${rows.toLocaleString('en-US')} contacts`)
    await panel.getByRole('button', { name: 'Close' }).click()
    await tab.getByRole('grid').focus()
  }

  async function openRecords() {
    const field = '[data-testid=contact-record] [name=phone_number]'
    await press('Control+Home', 'F4')
    await there(field)
    for (let n = 0; n < 3; n += 1) {
      const before = await page.value(field)
      await press('Control+ArrowDown')
      await until('the next one is shown', async () => (await page.value(field)) !== before)
    }
    await press('Escape')
    await tab.getByRole('grid').focus()
  }

  async function openDialogs() {
    for (const chord of ['F1', 'Control+Comma', 'Control+k']) {
      await press(chord)
      await there('dialog[open]')
      await press('Escape')
      await gone('dialog')
    }
    await press('Control+k')
    await there('dialog[open]')
    await tab.keyboard.type('trash')
    await there('[role=option][aria-selected=true]')
    await press('Escape')
    await gone('dialog')
  }

  async function switchScreens() {
    for (const section of SECTIONS) {
      await run("location.hash = '#/' + arguments[0]", section)
      await until(`${section} is loaded`, () =>
        run(
          `return document.querySelector('main :is(h1, h2)') !== null &&
             document.querySelector('main [aria-busy=true]') === null`,
        ),
      )
      await page.tab.rest()
    }
  }

  async function importFile(round) {
    const lines = Array.from(
      { length: IMPORTED },
      (_, n) => `+447700900${String(n).padStart(3, '0')};Given ${round}.${n};York`,
    )
    await run("location.hash = '#/lists/' + arguments[0]", empty.uid)
    await headed(empty.name)
    await drop(tab, 'main', [{ name: 'customers.csv', text: ['Phone;First name;City', ...lines].join('\n') }])
    const step = (name) => there(`main [data-step=${name}]`)
    await step('source')
    await there('main table tr.head')
    await press('Control+Enter')
    await step('mapping')
    await there('main tr[data-column]')
    await press('Control+Enter')
    await step('rehearsal')
    await there('[data-testid=import-sum]')
    await press('Control+Shift+Enter')
    await until('it is done', async () => (await text('main #done-title'))?.startsWith('Imported'), LONG_MS)
    await tab.getByRole('button', { name: 'Undo', exact: true }).last().click()
    await until('it is undone', async () => {
      const { contact_count } = await page.call('list_get', { uid: empty.uid })
      return contact_count === 0
    })
  }

  /** Reads the service after another writer changed all contacts of a list there, and looks at one. */
  async function pull(round) {
    const city = `City ${round}`
    await upload(
      service,
      shared.uid,
      shared.numbers.map((phone_number) => ({ phone_number, city })),
    )
    const { pulled_at: last } = await page.call('sync_status')
    const begun = performance.now()
    await press('F5')
    await until('the service is read', async () => {
      const { work, pulled_at } = await page.call('sync_status')
      return work === null && pulled_at !== last
    })
    time('pull', performance.now() - begun)
    await showLists()
    await run(OPEN_LIST, shared.name, city, `${LINE} [role=gridcell]`)
  }

  async function goHome() {
    await press('Control+1')
    await seeOverview(page)
    await page.tab.rest()
    await soon(async () => assert.equal(await count('dialog'), 0))
  }

  return {
    openList,
    scroll,
    edit,
    filter,
    openRecords,
    openDialogs,
    switchScreens,
    importFile,
    pull,
    goHome,
  }
}
