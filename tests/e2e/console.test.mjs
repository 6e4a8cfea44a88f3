// The web console of `roost serve` in Chromium: the same journeys, and what only a browser has.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { openConsole, startBrowser, startServer } from './support/console.mjs'
import {
  createList,
  names,
  overviewCount,
  refuseBadNames,
  seeFault,
  seeFreshAccount,
  seeOverview,
  sidebarCount,
  sortAndFilter,
} from './support/journeys.mjs'
import { ownFolder, picture, until } from './support/places.mjs'

let browser
let folder
let server

before(async () => (browser = await startBrowser()))
after(() => browser?.close())
beforeEach(async () => {
  folder = await ownFolder()
  // Without limits, so that thirty lists are made at once.
  server = await startServer(folder.path, '--limits', 'off')
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  await server?.stop()
  await folder.remove()
})

async function rest(path, body) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-key': 'test' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200, await response.text())
}

test('the console shows a fresh account and makes lists', async () => {
  const page = await openConsole(browser, server.console_url)
  await seeFreshAccount(page)
  await createList(page, 'Newsletter', 1)
  await createList(page, 'é'.repeat(120), 2)
  await refuseBadNames(page)
  await sortAndFilter(page)
  assert.equal(await page.text('[data-testid=transport]'), 'Web console')
  await page.screenshot(await picture('console'))
  assert.deepEqual(page.complaints, [])
})

test('the token leaves the address bar, and a page without it says where to find it', async () => {
  assert.match(server.console_url, /#token=./)
  const page = await openConsole(browser, server.console_url)
  await seeOverview(page)
  assert.doesNotMatch(page.tab.url(), /token/)
  await page.tab.reload()
  await seeOverview(page)
  const stranger = await openConsole(browser, server.console_url.replace(/#.*/, ''))
  await seeFault(stranger, 'no_token')
  const liar = await openConsole(browser, server.console_url.replace(/#.*/, '#token=wrong'))
  await seeFault(liar, 'no_token')
})

test('a list made through the REST interface appears without a reload', async () => {
  const page = await openConsole(browser, server.console_url)
  await seeOverview(page)
  await page.click('nav a[href="#/lists"]')
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  await page.run('window.neverReloaded = true')
  await rest('/contacts/v1/lists/create', { name: 'By the interface' })
  await until('it is in the table', async () => (await names(page)).includes('By the interface'))
  await until('the sidebar counts it', async () => (await sidebarCount(page)) === '1')
  await page.press('Control+1')
  await until('the overview counts it', async () => (await overviewCount(page, 'lists')) === '1')
  assert.equal(await page.run('return window.neverReloaded'), true)
})

test('two pages see what the other one makes', async () => {
  const one = await openConsole(browser, server.console_url)
  const two = await openConsole(browser, server.console_url)
  await seeOverview(one)
  await seeOverview(two)
  await createList(one, 'Seen by both', 1)
  await until('the other page counts it', async () => (await overviewCount(two, 'lists')) === '1')
})

test('many lists are paged through, forth and back', async () => {
  for (let n = 1; n <= 30; n += 1)
    await rest('/contacts/v1/lists/create', {
      name: `List ${String(n).padStart(2, '0')}`,
    })
  const page = await openConsole(browser, server.console_url)
  await seeOverview(page)
  await page.press('Control+2')
  await until('a full page is shown', async () => (await names(page)).length === 25)
  await page.click('table[aria-label=Lists] thead th:nth-child(1) button')
  await until('sorted by name', async () => (await names(page))[0] === 'List 01')
  await page.click('[aria-label="Next page"]')
  await until(
    'the rest is shown',
    async () => (await names(page)).join() === 'List 26,List 27,List 28,List 29,List 30',
  )
  await page.click('[aria-label="Previous page"]')
  await until('the first page is back', async () => (await names(page))[0] === 'List 01')
})

test('a page that loses its server says so', async () => {
  const page = await openConsole(browser, server.console_url)
  await seeOverview(page)
  await server.stop()
  server = undefined
  await until(
    'the status bar tells of it',
    async () => (await page.text('[data-testid=transport]')) === 'Reconnecting…',
  )
})
