// A large file in the real window: dropped, mapped, rehearsed, accepted, and reverted from the history.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin } from '../support/journeys.mjs'
import { ownFolder, picture, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow } from '../support/window/open.mjs'

const ROWS = 200_000
/** The number of distinct fictional numbers in the file; the rows after them repeat numbers. */
const NUMBERS = 60_000 + 789 * 100 + 18_000
/** Time for an act on all rows, in an unoptimised build on a busy machine. */
const LONG_MS = 240_000
const words = (count) => count.toLocaleString('en-US')

let screen
let folder
let page

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  page = await openWindow({ display: screen.display, folder: folder.path })
})
afterEach(async () => {
  await page?.close()
  await folder.remove()
})

/** Creates an empty account and opens a new list. */
async function listed() {
  await begin(page)
  const { uid } = await until('a list is made', () => page.call('list_create', { name: 'Spring' }))
  await page.run("location.hash = '#/lists/' + arguments[0]", uid)
  await until('the list is shown', async () => (await page.text('main h1')) === 'Spring')
  return uid
}

/** Drops a file of generated rows on the page. */
const DROP = `
  const [rows, numbers] = arguments
  const french = ['+3319900', '+3326191', '+3335301', '+3346571', '+3353649', '+3363998']
  const british = ['113496', '114496', '115496', '116496', '117496', '118496', '121496', '131496', '141496',
    '151496', '161496', '191498', '207946', '289649', '292018', '163296', '770090', '808157']
  const number = (n) => {
    if (n < 60_000) return french[Math.floor(n / 10_000)] + String(n % 10_000).padStart(4, '0')
    if (n < 78_000) return '+44' + british[Math.floor((n - 60_000) / 1_000)] + '0' + String(n % 1_000).padStart(3, '0')
    return '+1' + (201 + Math.floor((n - 78_000) / 100)) + '5550' + (100 + (n % 100))
  }
  const lines = ['Téléphone;Vorname;City;E-mail;Customer since']
  for (let row = 0; row < rows; row += 1) {
    const n = row % numbers
    lines.push([number(n), 'Given ' + n, n % 3 === 0 ? 'York' : '"Bath; Avon"', 'c' + n + '@example.com', '2024-01-' + (1 + (n % 28))].join(';'))
  }
  const transfer = new DataTransfer()
  transfer.items.add(new File([lines.join('\\r\\n')], 'customers.csv', { type: 'text/csv' }))
  const main = document.querySelector('main')
  for (const type of ['dragenter', 'dragover', 'drop'])
    main.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
  return transfer.files.length`

const step = () => page.run("return document.querySelector('main [data-step]')?.dataset.step ?? ''")
const at = (name) => until(`the step is ${name}`, async () => (await step()) === name, LONG_MS)

/** Returns the groups of the rehearsal by title. */
async function groups() {
  const tabs = await page.texts('main [role=tab]')
  return Object.fromEntries(
    tabs.map((text) => [text.replace(/[\d,]+$/, ''), Number(/[\d,]+$/.exec(text)?.[0].replaceAll(',', ''))]),
  )
}

test('two hundred thousand rows are dropped, mapped, rehearsed, accepted and taken back', async () => {
  const list = await listed()
  const contacts = async () => (await page.call('list_get', { uid: list })).contact_count
  assert.equal(await page.run(DROP, ROWS, NUMBERS), 1)
  await at('source')
  await until('its rows are read', () => page.count('main table tr.head'), LONG_MS)
  await page.screenshot(await picture('window-import-source'))

  await page.press('Control+Enter')
  await at('mapping')
  await until('the columns are there', async () => (await page.count('main tr[data-column]')) === 5, LONG_MS)
  const goes = () =>
    page.run("return [...document.querySelectorAll('main tr[data-column] select')].map((one) => one.value)")
  await soon(async () =>
    assert.deepEqual(await goes(), ['phone_number', 'firstname', 'city', 'email_address', '']),
  )
  await page.screenshot(await picture('window-import-mapping'))

  await page.press('Control+Enter')
  await at('rehearsal')
  const counts = await until(
    'the groups are shown',
    async () => {
      const found = await groups()
      return found['All rows'] === ROWS && found
    },
    LONG_MS,
  )
  const { 'All rows': all, 'Blank or header': heads, ...parts } = counts
  assert.equal(heads, 1)
  assert.equal(
    Object.values(parts).reduce((sum, count) => sum + count, 0),
    all,
    JSON.stringify(counts),
  )
  // Some area codes of the file do not exist.
  assert.ok(parts.New > 110_000 && parts['Duplicate in the file'] === ROWS - NUMBERS, JSON.stringify(counts))
  await soon(async () => assert.equal(await contacts(), 0))
  await page.screenshot(await picture('window-import-rehearsal'))

  await page.press('Control+Shift+Enter')
  await until(
    'it is done',
    async () =>
      (await page.text('main #done-title')) === `Imported ${words(parts.New)} contacts into “Spring”`,
    LONG_MS,
  )
  await soon(async () => assert.equal(await contacts(), parts.New))
  await page.screenshot(await picture('window-import-done'))

  await page.run("location.hash = '#/import/past'")
  await until('it is in the history', async () => (await page.count('main tbody tr a')) > 0)
  await page.click('main tbody tr a')
  const button = (named) =>
    page.run(
      "const found = [...document.querySelectorAll('main button, dialog[open] button')].find((one) => one.textContent.trim() === arguments[0] && !one.disabled); found?.click(); return found !== undefined",
      named,
    )
  await until('it can be taken back', () => button('Revert…'))
  await until(
    'what goes is shown',
    async () =>
      (await page.text('dialog[open]'))?.includes(`${words(parts.New)} contacts added by it are deleted`),
    LONG_MS,
  )
  await page.screenshot(await picture('window-import-revert'))
  await until('it is taken back', () => button('Revert import'), LONG_MS)
  await until('nobody is left', async () => (await contacts()) === 0, LONG_MS)
})
