// Text that is not saved is not lost by quitting, closing the window or switching the account without a question.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin } from './support/journeys.mjs'
import { ownFolder, sleep, until } from './support/places.mjs'
import { startScreen } from './support/processes.mjs'
import { openWindow } from './support/window/open.mjs'

const CLOSE = `return window.__TAURI_INTERNALS__.invoke('plugin:window|close', { label: 'main' })`
const CITY = '[data-testid=contact-record] [name=city]'

let screen
let folder
let page

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  page = await openWindow({ display: screen.display, folder: folder.path })
  await begin(page)
})
afterEach(async () => {
  await page?.close()
  await folder.remove()
})

/** A list of one contact, into whose record a city was typed. */
async function typeCity() {
  const { uid } = await page.call('list_create', { name: 'Spring' })
  const contacts = [{ phone_number: '+447700900010', firstname: 'Ann', lastname: 'Lee' }]
  await page.call('contact_paste', { list: uid, contacts, region: null })
  await page.run('location.hash = arguments[0]', `#/lists/${uid}`)
  await until('the rows have the keys', () =>
    page.run(`return document.activeElement?.getAttribute('role') === 'grid'`),
  )
  await page.press('F4')
  await until('the record is shown', () => page.count(CITY))
  await page.fill(CITY, 'Leeds')
}
const question = () => until('it is asked', () => page.count('[data-testid=unsaved]'))
const answer = async (text) => {
  await page.run(
    `[...document.querySelectorAll('dialog[open] button')].find((one) => one.textContent.trim() === arguments[0]).click()`,
    text,
  )
  await until('the question is gone', async () => (await page.count('dialog[open]')) === 0)
}
const isOpen = () =>
  page
    .count('body')
    .then(() => true)
    .catch(() => false)

test('quitting asks first, and Keep editing keeps the text', async () => {
  await typeCity()
  await page.press('Control+q')
  await question()
  assert.match(await page.text('dialog[open]'), /1 record has unsaved text/)
  assert.deepEqual(await page.texts('[data-testid=unsaved] li'), ['Ann Lee'])
  await answer('Keep editing')
  assert.equal(await page.value(CITY), 'Leeds')

  await page.run(CLOSE)
  await question()
  await answer('Keep editing')
  await sleep(300)
  assert.equal(await page.value(CITY), 'Leeds')

  await page.press('Control+q')
  await question()
  await page
    .run(
      `setTimeout(() => [...document.querySelectorAll('dialog[open] button')].find((one) => one.textContent.trim() === 'Discard text and quit').click(), 50)`,
    )
    .catch(() => undefined)
  await until('the program has ended', async () => !(await isOpen()))
})

test('a window with nothing to lose closes at once', async () => {
  await page.run(`setTimeout(() => { ${CLOSE} }, 50)`)
  await until('the program has ended', async () => !(await isOpen()))
})

test('another account is opened only after the question', async () => {
  const first = (await page.call('overview_get')).account.path
  await page.call('account_duplicate', { path: first, name: 'Second' })
  await typeCity()
  await page.press('Control+Shift+k')
  await until('the accounts are offered', async () =>
    (await page.texts('[role^=menuitem]')).some((text) => text.startsWith('Second')),
  )
  await page.run(
    `[...document.querySelectorAll('[role^=menuitem]')].find((one) => one.textContent.trim().startsWith('Second')).click()`,
  )
  await question()
  await answer('Keep editing')
  assert.equal((await page.call('overview_get')).account.path, first)
  assert.equal(await page.value(CITY), 'Leeds')
})
