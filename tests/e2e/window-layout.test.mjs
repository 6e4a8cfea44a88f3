// Checks the layout of every screen of the real window, and of everything that opens on it.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { chooseCountry } from './support/journeys.mjs'
import { layoutFaults, rowsInSight } from './support/window/layout.mjs'
import { ownFolder, picture, sleep, until } from './support/places.mjs'
import { startScreen } from './support/processes.mjs'
import { openWindow } from './support/window/open.mjs'

/** `make test` checks the screens in one size, `make test-window` checks everything in every size. */
const IS_WHOLE = process.env.ROOST_JOURNEYS === 'window'
const SIZES = [
  [1280, 800],
  [1440, 900],
  [1024, 700],
]
const LOOKS = [
  { theme: 'light', zoom: 100 },
  { theme: 'dark', zoom: 100 },
  { theme: 'light', zoom: 200 },
  { theme: 'dark', zoom: 200 },
]
/** Commands that leave the page, or open a file dialog of the desktop. */
const ELSEWHERE =
  /^(?:New window|Choose files…|Open a file…|Close account|Export account|Report as|Plan as|Save with|.* as a fixture…|Create fixture…|Cancel|Reload)/

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
async function open({ theme, zoom }) {
  const home = join(folder.path, 'account')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'preferences.json'), JSON.stringify({ theme, zoom, motion: 'reduced' }))
  page = await openWindow({ display: screen.display, folder: folder.path })
  await until('the welcome is shown', () => page.count('[data-testid=welcome] button[type=submit]'))
  await look('welcome')
  await page.run(`document.querySelector('[data-testid=welcome] input[value=sample]').click()`)
  await page.fill('[data-testid=welcome] input:not([type=radio])', 'Corner Shop')
  await chooseCountry(page)
  await page.click('[data-testid=welcome] button[type=submit]')
  await until('the account is open', () => page.count('#sidebar'))
  await page.call('list_create', { name: 'An empty list' })
}

const found = new Map()

/** Records the faults of what is shown, in each size. */
async function look(what) {
  for (const [width, height] of IS_WHOLE ? SIZES : SIZES.slice(0, 1)) {
    await page.resize(width, height)
    for (const fault of await layoutFaults(page)) {
      const key = `${what}: ${fault.replace(/ \([-\d ]+\)$/, '')}`
      if (found.has(key)) continue
      found.set(key, `${what}, ${width} × ${height}: ${fault}`)
      const name = what.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()
      await page.screenshot(await picture(`layout-fault-${name}`))
    }
  }
}

function seeNone() {
  const faults = [...found.values()]
  found.clear()
  assert.deepEqual(faults, [])
}

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
    '#/import',
    '#/import/past',
    '#/search',
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

/** Runs each command of a screen whose title ends in “…”, which opens a dialog before it does anything. */
async function lookAtCommands(place) {
  const titles = [...new Set(await offered())]
  await look(`${place}, commands`)
  await closeAll()
  for (const title of titles.filter((one) => one.endsWith('…') && !ELSEWHERE.test(one))) {
    await offered()
    await page.run(
      `[...document.querySelectorAll('dialog [role=option]')]
        .find((one) => one.querySelector('.title').textContent.trim() === arguments[0])?.click()`,
      title,
    )
    await sleep(250)
    if ((await overlays()) > 0) await look(`${place}, ${title}`)
    await closeAll()
    if ((await page.run('return location.hash')) !== place) await goTo(place)
  }
}

/** Opens every menu button of the page, and the list of each combobox. */
async function lookAtMenus(place) {
  const css = 'button[aria-haspopup], [role=combobox]:not(dialog *)'
  const count = await page.count(css)
  for (let at = 0; at < count; at += 1) {
    const label = await page.run(
      `const one = document.querySelectorAll(arguments[0])[arguments[1]]
       if (one === undefined || one.disabled || !one.checkVisibility()) return null
       one.focus(); one.click()
       return one.getAttribute('aria-label') ?? one.textContent.trim()`,
      css,
      at,
    )
    if (label === null) continue
    await sleep(120)
    if ((await overlays()) > 0) await look(`${place}, menu ${label}`)
    await closeAll()
    if ((await page.run('return location.hash')) !== place) await goTo(place)
  }
}

const DROP = `
  const transfer = new DataTransfer()
  transfer.items.add(new File([arguments[0]], 'customers of the northern region.csv'))
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.querySelector('main').dispatchEvent(
      new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))`
const LEAST_ROWS = 5

test('a low window shows enough rows of an import and of the changes', async () => {
  await open(LOOKS[0])
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
  await open(LOOKS[0])
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
  ]) {
    const [fault = '', ...others] = await faults(html)
    assert.deepEqual([/cuts off “Import opt-outs”/.test(fault), others], [true, []], fault)
    assert.deepEqual(await faults(html.replace(' style', ' title="Import opt-outs" style')), [])
  }
})

for (const [at, looks] of LOOKS.entries()) {
  if (at > 0 && !IS_WHOLE) continue
  const { theme, zoom } = looks
  test(`every screen and what opens on it has its place, ${theme}, ${zoom} %`, async () => {
    await open(looks)
    for (const place of await places()) {
      await goTo(place)
      await look(place)
      if (!IS_WHOLE) continue
      await lookAtMenus(place)
      await lookAtCommands(place)
    }
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
}
