// Home in Chromium: what to do first, counts and cards that follow every change, and a fault that can be tried again.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { caller } from '../support/commands.mjs'
import { openConsole, startBrowser, startServer } from '../support/console.mjs'
import { ownFolder, soon, until } from '../support/places.mjs'

let browser
let folder
let server

before(async () => (browser = await startBrowser()))
after(() => browser?.close())
beforeEach(async () => {
  folder = await ownFolder()
  server = await startServer(folder.path, '--console', '--limits', 'off')
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  await server?.stop()
  await folder.remove()
})

async function open(options) {
  const page = await openConsole(browser, server.console_url, options)
  await until('home is there', async () => (await page.text('main h1')) === 'Home')
  return page
}
const count = (page, of) => page.text(`[data-testid=overview-${of}]`)

test('a fresh account says what to do, by keys alone, and steps aside once there is a list', async () => {
  const page = await open()
  const { tab } = page
  await until('what to do first is told', async () => (await page.texts('main h2')).includes('Get started'))
  await seeAccessible(page, 'a fresh home')
  await matchAria(page, 'overview/overview-fresh')
  await tab.keyboard.press('Alt+n')
  await tab.locator('dialog[open] input').first().waitFor()
  await tab.keyboard.type('Newsletter')
  await tab.keyboard.press('Enter')
  await until('the list is open or listed', async () =>
    (await page.texts('main')).join().includes('Newsletter'),
  )
  await tab.keyboard.press('Alt+1')
  await until('home counts it', async () => (await count(page, 'lists')) === '1')
  await soon(async () => assert.equal((await page.texts('main h2')).includes('Get started'), false))
  await tab.keyboard.press('Control+z')
  await until('undo is counted too', async () => (await count(page, 'lists')) === '0')
})

test('the cards follow what programs do, and lead to their screens, in the dark', async () => {
  const call = caller(server)
  const { uid } = await call('list_create', { name: 'Newsletter' })
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await until('one list', async () => (await count(page, 'lists')) === '1')
  await call('contact_paste', { list: uid, contacts: [{ phone_number: '+447700900001' }], region: null })
  await call('opt_out_add', {
    entries: [{ number: '+447700900001', channels: ['SMS'], asset: null }],
    reason: 'Asked by telephone',
    region: null,
  })
  await until('the contact came in', async () => (await count(page, 'contacts')) === '1')
  await until('the opt-out too', async () => (await count(page, 'opt_outs')) === '1')
  await until('and in the cards', async () => (await page.count('main table tbody tr')) > 0)
  await seeAccessible(page, 'a home with something in it')
  await matchAria(page, 'overview/overview', 'main', [[/LST_\w+/g, '«uid»']])
  await tab
    .getByRole('link', { name: /^Opt-outs/ })
    .last()
    .focus()
  await tab.keyboard.press('Enter')
  await until('it leads there', async () => (await page.text('main h1')) === 'Opt-outs')
})

test('counts that cannot be read are told with what was known, and can be tried again', async () => {
  const call = caller(server)
  await call('list_create', { name: 'Newsletter' })
  const page = await open()
  const { tab } = page
  await until('one list', async () => (await count(page, 'lists')) === '1')
  const counts = '**/__console/call/overview_get'
  await tab.route(counts, (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'The counts are out.', details: [] } }),
  )
  await call('list_create', { name: 'Second' })
  const fault = tab.locator('main [role=alert]')
  await fault.waitFor()
  await soon(async () => assert.match(await fault.textContent(), /The counts are out/))
  await soon(async () => assert.equal(await count(page, 'lists'), '1'))
  await seeAccessible(page, 'a fault at home')
  await tab.unroute(counts)
  await fault.getByRole('button').click()
  await until('both are counted', async () => (await count(page, 'lists')) === '2')
})
