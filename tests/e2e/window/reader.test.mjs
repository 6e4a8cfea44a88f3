// What a screen reader says of the real window, through AT-SPI.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { longList, onlyList } from '../support/long-list.mjs'
import { ownFolder, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow } from '../support/window/open.mjs'
import { startReader } from '../support/window/reader.mjs'
import { focusWindow } from '../support/window/screen.mjs'

const ROWS = 500

let screen
let folder
let reader
let page

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  await longList(join(folder.path, 'account', 'account.roost'), ROWS)
  const place = { display: screen.display, folder: folder.path }
  reader = await startReader(place)
  page = await openWindow({ ...place, env: reader.env })
  await until('the account is open', () => page.count('#sidebar'), 30_000)
  await focusWindow(place)
})
afterEach(async () => {
  await page?.close()
  await reader?.stop()
  await folder.remove()
})

async function openGrid() {
  await page.run("location.hash = '#/lists/' + arguments[0]", await onlyList(page.call))
  await until('rows are shown', () => page.count('main .body .line:not([hidden])'))
  await page.run("document.querySelector('[role=grid]').focus()")
}

/** Waits for a text of the page, which is not empty, and until the reader announces it. */
async function announcesThe(css) {
  const text = await until(`${css} has a text`, () =>
    page.run("return document.querySelector(arguments[0])?.innerText.replaceAll(/\\s+/g, ' ').trim()", css),
  )
  await reader.announces(text)
}

test('each move in the grid is heard, also where the rows move instead of the focus', async () => {
  await openGrid()
  const row = () =>
    page.run(`
      const grid = document.querySelector('[role=grid]')
      const cell = document.getElementById(grid.getAttribute('aria-activedescendant'))
      return cell === null ? null : [Number(cell.closest('[role=row]').getAttribute('aria-rowindex')), cell.innerText]`)
  for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'PageDown', 'ArrowUp', 'Control+Home']) {
    reader.forget()
    const from = (await row())?.[0]
    await page.press(key)
    const [, text] = await until(`${key} moves`, async () => {
      const at = await row()
      return at !== null && at[0] !== from && at[1] !== '' && at
    })
    await reader.hears(`${text} after ${key}`, (said) => said.text.includes(text))
  }
})

test('what the grid does is announced', async () => {
  await openGrid()
  await page.press('Home')
  await page.press('Control+c')
  await announcesThe('.live[role=status]')
})

test('a refused field is announced, and a toast', async () => {
  await page.press('Control+2')
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  await page.press('Control+n')
  await until('the dialog is open', () => page.count('dialog[open] input'))
  await page.click('dialog button[type=submit]')
  await announcesThe('dialog [role=alert]:not(:empty)')
  await page.fill('dialog input', 'Newsletter')
  await page.click('dialog button[type=submit]')
  await announcesThe('[data-testid=toast] .text')
})

test('the status of a dialog is announced when it changes', async () => {
  await openGrid()
  await page.press('Control+h')
  await until('the dialog is open', () => page.count('dialog[open] input'))
  await page.fill('dialog input', 'a')
  await announcesThe('dialog [role=status] strong')
})
