// Checks the layout of every screen of the real window, and of everything that opens on it.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { chooseCountry } from '../support/journeys.mjs'
import { layoutFaults, rowsInSight } from '../support/window/layout.mjs'
import { createLook } from '../support/window/looks.mjs'
import { ownFolder, sleep, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow } from '../support/window/open.mjs'

/** `make test` checks the screens in one size, `make test-window` checks everything in every size, theme and zoom. */
const IS_WHOLE = process.env.ROOST_JOURNEYS === 'window'
/** A folder of pictures of everything that is checked, for people. */
const TAKES = process.env.ROOST_PICTURES === '1'
/** Commands that leave the page, or open a file dialog of the desktop. */
const ELSEWHERE =
  /^(?:New window|Choose files…|Open a file…|Save a copy…|Restore from a file…|Close account|Export account|Report as|Plan as|Save with|.* as a fixture…|Create fixture…|Cancel|Reload)/

let screen
let folder
let page

before(async () => (screen = await startScreen('1600x1000')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
})
afterEach(async () => {
  await page?.close()
  await folder.remove()
})

/** Opens a window on an account with sample data. */
async function open() {
  const home = join(folder.path, 'account')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'preferences.json'), JSON.stringify({ theme: 'light', motion: 'reduced' }))
  page = await openWindow({ display: screen.display, folder: folder.path })
  ;({ look, seeNone } = createLook(page, { isWhole: IS_WHOLE, takes: () => TAKES }))
  await until('the welcome is shown', () => page.count('[data-testid=welcome] button[type=submit]'))
  await page.resize(1280, 800)
  await look('welcome')
  await page.run(`document.querySelector('[data-testid=welcome] input[value=sample]').click()`)
  await page.fill('[data-testid=welcome] input:not([type=radio])', 'Corner Shop')
  await chooseCountry(page)
  await page.click('[data-testid=welcome] button[type=submit]')
  await until('the account is open', () => page.count('#sidebar'))
  await page.call('list_create', { name: 'An empty list' })
}
let look
let seeNone

const SETTLED = `
  return document.querySelector('main :is(h1, h2), [data-testid=search]') !== null &&
    document.querySelector('main [aria-busy=true]') === null`

async function goTo(place) {
  await page.run('location.hash = arguments[0]', place)
  await until(`${place} is shown`, () => page.run(SETTLED))
  await sleep(120)
}

async function places() {
  const { items } = await page.call('list_page', {
    page_number: 1,
    page_size: 50,
    sort_by: 'name',
    sort_order: 'ASC',
    name: null,
  })
  const empty = items.find(({ name }) => name === 'An empty list')
  const full = items.find(({ contact_count }) => contact_count > 0)
  return [
    '#/overview',
    '#/lists',
    `#/lists/${full.uid}`,
    `#/lists/${empty.uid}`,
    `#/lists/${full.uid}/readiness`,
    `#/lists/${full.uid}/clean`,
    `#/lists/${full.uid}/clean/mending`,
    '#/fields',
    '#/optouts',
    '#/links',
    '#/senders',
    '#/sync/connection',
    '#/sync/changes',
    '#/sync/conflicts',
    '#/sync/plan',
    '#/sync/runs',
    '#/server',
    '#/activity',
    '#/trash',
    '#/accounts',
    '#/safety',
    '#/import',
    '#/import/past',
    '#/search',
    '#/guide',
  ]
}

const OVERLAY = `return document.querySelectorAll('dialog[open], [popover]:popover-open, [role=menu]').length`
const overlays = () => page.run(OVERLAY)

async function closeAll() {
  for (let tries = 0; tries < 5 && (await overlays()) > 0; tries += 1) {
    await page.press('Escape')
    await sleep(60)
  }
  if ((await overlays()) > 0)
    await page.run(`for (const one of document.querySelectorAll('dialog[open]')) one.close()`)
}

async function offered() {
  await page.press('Control+Shift+p')
  await until('the commands are listed', () => page.count('dialog [role=option]'))
  return page.texts('dialog [role=option] .title')
}

/** Selects the first rows of a table or a grid, for the commands that need a selection. */
async function selectRows() {
  const { tab } = page
  const cell = 'main [role=grid] .body .line:not([hidden]) [role=gridcell]'
  if ((await page.count(cell)) > 0) {
    await tab.locator(cell).first().click()
    await tab.keyboard.press('Shift+Space')
    await tab.keyboard.press('Shift+ArrowDown')
    return
  }
  const rows = tab.locator('main tbody tr')
  const count = await rows.count()
  if (count > 0) await rows.first().click()
  if (count > 1) await rows.nth(1).click({ modifiers: ['Control'] })
}

async function runCommand(title) {
  await offered()
  await page.run(
    `[...document.querySelectorAll('dialog [role=option]')]
      .find((one) => one.querySelector('.title').textContent.trim() === arguments[0])?.click()`,
    title,
  )
  await sleep(250)
}

/** Runs each command of a screen whose title ends in “…”, which opens a dialog before it does anything: first without a
 *  selection, then those that need one. */
async function lookAtCommands(place) {
  const seen = new Set()
  for (const prepare of [undefined, selectRows]) {
    await prepare?.()
    const titles = (await offered()).filter((one) => one.endsWith('…') && !ELSEWHERE.test(one))
    if (prepare === undefined) await look(`${place}, commands`)
    await closeAll()
    for (const title of new Set(titles)) {
      if (seen.has(title)) continue
      seen.add(title)
      await prepare?.()
      await runCommand(title)
      if ((await overlays()) > 0) await look(`${place}, ${title}`)
      await closeAll()
      if ((await page.run('return location.hash')) !== place) await goTo(place)
    }
  }
}

/** Opens every menu button of the page, and the list of each combobox. */
async function lookAtMenus(place) {
  const css = 'button[aria-haspopup], [role=combobox]:not(dialog *)'
  const count = await page.count(css)
  for (let at = 0; at < count; at += 1) {
    const openMenu = async () => {
      await closeAll()
      const label = await page.run(
        `const one = document.querySelectorAll(arguments[0])[arguments[1]]
         if (one === undefined || one.disabled || !one.checkVisibility()) return null
         one.focus(); one.click()
         return one.getAttribute('aria-label') ?? one.textContent.trim()`,
        css,
        at,
      )
      await sleep(120)
      return label
    }
    const label = await openMenu()
    if (label === null) continue
    if ((await overlays()) > 0) await look(`${place}, menu ${label}`, openMenu)
    await closeAll()
    if ((await page.run('return location.hash')) !== place) await goTo(place)
  }
}

/** Looks at what opens from a copy of the account and from the report on a number. */
async function lookAtSafety() {
  const { tab } = page
  const { uid: list } = await page.call('list_create', { name: 'Guests' })
  const number = '+447700900001'
  await page.call('contact_paste', { list, contacts: [{ phone_number: number }], region: null })
  await page.call('account_back_up')
  await goTo('#/overview')
  await goTo('#/safety')
  await tab
    .getByRole('button', { name: /^Restore the copy of/ })
    .first()
    .click()
  await until('the difference is shown', () => page.count('dialog table'))
  await look('#/safety, restore')
  await closeAll()
  await page.fill('input[name=held_number]', number)
  await tab.getByRole('button', { name: 'Show what is held' }).click()
  await until('the report is there', () => page.count('main section table'))
  await look('#/safety, report')
  await tab.getByRole('button', { name: /^Delete (everything|all but)/ }).click()
  await until('the question is there', overlays)
  await look('#/safety, delete')
  await closeAll()
}

const DROP = `
  const transfer = new DataTransfer()
  transfer.items.add(new File([arguments[0]], 'customers of the northern region.csv'))
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.querySelector('main').dispatchEvent(
      new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))`
const LEAST_ROWS = 5

test('a low window shows enough rows of an import and of the changes', async () => {
  await open()
  await page.resize(1024, 700)
  const enough = (what, css) =>
    until(`${what}: at least ${LEAST_ROWS} rows`, async () => (await rowsInSight(page, css)) >= LEAST_ROWS)
  const step = (name) => until(name, () => page.count(`main [data-step=${name}]`), 30_000)
  const lines = Array.from({ length: 30 }, (_, n) =>
    [
      `+4477009002${String(n).padStart(2, '0')}`,
      `Given ${n}`,
      'Family',
      'York',
      'YO1',
      '1 High Street',
    ].join(),
  )
  const empty = (await places()).at(3)
  await goTo(empty)
  await page.run(DROP, ['Phone,First name,Last name,City,Zip,Address', ...lines].join('\r\n'))
  await step('source')
  await until('the rows are read', () => page.count('main table tr.head'))
  await enough('the files', 'main .step table tbody tr')
  await look('import, files')
  await page.press('Control+Enter')
  await step('mapping')
  await enough('the columns', 'main tr[data-column]')
  await look('import, columns')
  await page.press('Control+Enter')
  await step('rehearsal')
  await until('the rows are there', () => page.count('main [role=grid] [role=rowheader]'))
  await enough('the rehearsal', 'main [role=grid] .body .line')
  await look('import, rehearsal')
  seeNone()
})

test('the look at the layout finds words that are cut off', async () => {
  await open()
  await goTo('#/lists')
  const cut = 'width: 4rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis'
  const faults = (html) =>
    page
      .run(
        `const one = document.createElement('div'); one.id = 'tried'; one.innerHTML = arguments[0]
            document.querySelector('main').append(one)`,
        html,
      )
      .then(() => layoutFaults(page))
      .finally(() => page.run(`document.querySelector('#tried').remove()`))
  for (const html of [
    `<button style="${cut}">Import opt-outs</button>`,
    `<h2 style="${cut}">Import opt-outs</h2>`,
    `<select style="width: 5rem"><option>Import opt-outs</option></select>`,
    `<table style="width: auto"><tr><td style="max-width: 4rem; overflow: hidden; white-space: nowrap"><b style="display: inline-flex">Import opt-outs</b></td></tr></table>`,
  ]) {
    const [fault = '', ...others] = await faults(html)
    assert.deepEqual([/cuts off “Import opt-outs”/.test(fault), others], [true, []], fault)
    assert.deepEqual(await faults(html.replace(' style', ' title="Import opt-outs" style')), [])
  }
})

test('a menu that is longer than the room below its button hides none of its entries', async () => {
  await open()
  await goTo((await places()).at(2))
  await selectRows()
  await page.resize(1280, 800)
  const isWhole = `
    const menu = document.querySelector('[role=menu]')
    return menu !== null && menu.scrollHeight <= menu.clientHeight + 1`
  // As low as the button is under the warnings and bars of a connected account.
  const spacer = `
    const spacer = document.createElement('div')
    spacer.style.blockSize = arguments[0] + 'px'
    document.querySelector('main').prepend(spacer)`
  await page.run(spacer, 120)
  const openActions = async () => {
    if ((await page.count('[role=menu]')) > 0) return
    await page.tab.getByRole('button', { name: 'Actions', exact: true }).click()
  }
  await openActions()
  await until('the menu shows every entry', () => page.run(isWhole))
  const zoom = (factor) =>
    page.run(`document.documentElement.style.setProperty('--zoom', arguments[0])`, factor)
  await zoom('2')
  await until('the open menu is in the window after a zoom', async () => {
    const faults = await layoutFaults(page)
    return !faults.some((fault) => fault.startsWith('div “Actions” lies outside'))
  })
  await zoom('1')
  await until('the menu shows every entry again', () => page.run(isWhole))
  await look('actions in a low place', openActions)
  seeNone()
})

test('every screen and what opens on it has its place', async () => {
  await open()
  for (const place of await places()) {
    await goTo(place)
    await look(place)
    if (!IS_WHOLE) continue
    await lookAtMenus(place)
    await lookAtCommands(place)
  }
  await lookAtSafety()
  for (const chord of ['Control+k', 'F1', 'Control+,']) {
    await goTo('#/overview')
    await page.press(chord)
    await until(`${chord} opens something`, overlays)
    await sleep(150)
    await look(chord)
    await closeAll()
  }
  seeNone()
})
