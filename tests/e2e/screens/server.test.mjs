// The local server's screen in Chromium: this very server, its requests as they come in, why one was refused, settings.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
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
  await page.tab.locator('nav a[href="#/server"]').click()
  await until('the screen is there', async () => (await page.text('main h1')) === 'Local server')
  return page
}

const create = (name) =>
  fetch(`${server.url}/contacts/v1/lists/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-key': 'test' },
    body: JSON.stringify({ name }),
  })
/** The settings are folded up at first. */
const unfold = (page) => page.tab.locator('main details.card > summary').click()
const rows = (page) => page.count('main tbody tr')

test('requests appear as they come in, and a refused one says why', async () => {
  const page = await open()
  const { tab } = page
  await until('its own address', async () => (await page.text('[data-testid=server-url]')) === server.url)
  await soon(async () => assert.equal(await tab.getByRole('button', { name: 'Stop server' }).count(), 0))
  await until('the empty table says what to do', async () =>
    (await page.texts('main h2')).includes('No request yet'),
  )
  await seeAccessible(page, 'no request yet')
  assert.equal((await create('Newsletter')).status, 200)
  assert.equal((await create('')).status, 400)
  await until('both are listed', async () => (await rows(page)) === 2)
  await tab.locator('main tbody tr').first().focus()
  await tab.keyboard.press('Enter')
  await until('why it was refused', async () => /\S/.test((await page.text('[data-testid=refused]')) ?? ''))
  await seeAccessible(page, 'a refused request')
  await matchAria(page, 'server/server-request', '#panel', [[/\b[0-9a-f]{16}\b/g, '«trace»']])
  await tab.keyboard.press('c')
  await until('the copy is told', async () =>
    (await page.texts('[data-testid=toast]')).some((t) => t.includes('Copied')),
  )
  await tab.keyboard.press('Escape')
  await until('the panel is closed', async () => (await page.count('#panel')) === 0)
  await matchAria(page, 'server/server')
  await tab.getByRole('combobox', { name: 'Status' }).selectOption('2xx')
  await until('the filter leaves one', async () => (await rows(page)) === 1)
  await tab.getByRole('button', { name: 'Forget all' }).click()
  await until('none is kept', async () => (await rows(page)) === 0)
})

test('a setting holds at once, and a wrong value is told at its field, in the dark', async () => {
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await unfold(page)
  await tab.getByLabel('Limit requests a second').check()
  const field = tab.getByLabel('Requests a second', { exact: true })
  await field.fill('many')
  await field.press('Enter')
  await until('the fault is told', async () =>
    (await page.texts('form [role=alert]')).some((t) => t === 'Give a whole number from 1 to 1,000,000.'),
  )
  await seeAccessible(page, 'the refused setting')
  await field.fill('25')
  await field.press('Enter')
  await until('no fault is left', async () => (await page.texts('form [role=alert]')).every((t) => t === ''))
  await tab.reload()
  await until('it is told in the folded line', async () =>
    (await page.text('main details.card > summary')).includes('25 requests a second at most'),
  )
  await until('it holds', async () => (await field.inputValue()) === '25')
})

test('only the keys given get in once they are asked for', async () => {
  const page = await open()
  const { tab } = page
  await tab.locator('main details.card > summary').focus()
  await tab.keyboard.press('Enter')
  await tab.getByLabel('Only the keys below').focus()
  await tab.keyboard.press('Space')
  const keys = tab.locator('main textarea')
  await keys.fill('shop-backend-1\nshop-backend-2')
  await tab.keyboard.press('Tab')
  await tab.keyboard.press('Enter')
  await until('they are kept by their beginnings', async () =>
    (await page.text('main form')).includes('In force: shop…, shop…'),
  )
  await until('the form is empty again', async () => (await keys.inputValue()) === '')
  await until('a stranger stays out', async () => (await create('By a stranger')).status === 401)
  await seeAccessible(page, 'keys')
  await matchAria(page, 'server/server-keys', 'main section:has(textarea)')
})
