// The web console of `roost serve` in Chromium: the same journeys, and what only a browser has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksOf, consoleForEach, openConsole } from './support/console.mjs'
import {
  createList,
  goHome,
  names,
  overviewCount,
  refuseBadNames,
  seeFault,
  seeFreshAccount,
  seeOverview,
  sidebarCount,
  sortAndFilter,
} from './support/journeys.mjs'
import { picture, soon, until } from './support/places.mjs'

/** Finds visible texts that come from no message; data is marked by translate="no". */
const UNTRANSLATED = `
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    const text = data.trim()
    if (!/\\p{L}/u.test(text) || parentElement.closest('[translate=no], script, style') !== null) continue
    if (!text.startsWith('⟦')) found.push(text)
  }
  return found`

const here = consoleForEach()
const { post } = asksOf(here)

async function rest(path, body) {
  const response = await post(path, body)
  assert.equal(response.status, 200, await response.text())
}

test('the console shows a fresh account and makes lists', async () => {
  const page = await here.open()
  await seeFreshAccount(page, 3)
  await createList(page, 'Newsletter', 1)
  await createList(page, 'é'.repeat(120), 2)
  await refuseBadNames(page)
  await sortAndFilter(page)
  await soon(async () => assert.equal(await page.text('[data-testid=transport]'), 'Web console'))
  await page.screenshot(await picture('console'))
  assert.deepEqual(page.complaints, [])
})

test('the token leaves the address bar, and a page without it says where to find it', async () => {
  assert.match(here.server.console_url, /#token=./)
  const page = await here.open()
  await seeOverview(page)
  assert.doesNotMatch(page.tab.url(), /token/)
  await page.tab.reload()
  await seeOverview(page)
  const stranger = await openConsole(here.browser, here.server.console_url.replace(/#.*/, ''))
  await seeFault(stranger, 'no_token')
  const liar = await openConsole(here.browser, here.server.console_url.replace(/#.*/, '#token=wrong'))
  await seeFault(liar, 'no_token')
})

test('a list made through the REST interface appears without a reload', async () => {
  const page = await here.open()
  await seeOverview(page)
  await page.click('#sidebar a[href="#/lists"]')
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  await page.run('window.neverReloaded = true')
  await rest('/contacts/v1/lists/create', { name: 'By the interface' })
  await until('it is in the table', async () => (await names(page)).includes('By the interface'))
  await until('the sidebar counts it', async () => (await sidebarCount(page)) === '1')
  await page.press('Control+1')
  await until('the overview counts it', async () => (await overviewCount(page, 'lists')) === '1')
  assert.equal(await page.run('return window.neverReloaded'), true)
})

test('every text is translated, and the page turns round where the language does', async () => {
  for (const [locale, dir] of [
    ['en-XA', 'ltr'],
    ['ar-XB', 'rtl'],
  ]) {
    const page = await here.open({ language: locale })
    await goHome(page)
    for (const href of await page.run(
      'return [...document.querySelectorAll("#sidebar a")].map((a) => a.getAttribute("href"))',
    )) {
      await page.click(`#sidebar a[href="${href}"]`)
      await until(`${href} is shown`, async () => ((await page.text('main h1')) ?? '').startsWith('⟦'))
      await soon(async () => assert.equal(await page.run('return document.documentElement.dir'), dir))
      await soon(async () => assert.deepEqual(await page.run(UNTRANSLATED), [], href))
      await soon(async () =>
        assert.equal(
          await page.run('return document.documentElement.scrollWidth <= innerWidth'),
          true,
          `${href} fits its width`,
        ),
      )
    }
    await page.close()
  }
})

test('a place and the shape of the frame are found again, and keys reach everything', async () => {
  const page = await here.open()
  await seeOverview(page)
  await page.press('Control+2')
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  await until('the heading has the focus', () => page.run('return document.activeElement.tagName === "H1"'))
  await page.press('Control+BracketLeft')
  await until('back leads home', async () => (await page.text('main h1')) === 'Home')
  await page.press('Control+BracketRight')
  await until('forward leads to the lists', async () => (await page.text('main h1')) === 'Lists')
  await page.press('Control+b')
  await until('the sidebar is gone', async () => (await page.count('#sidebar')) === 0)
  await page.press('Control+k')
  await page.tab.keyboard.type('sidebar')
  await until('the palette finds the command', async () =>
    ((await page.text('[role=option][aria-selected=true]')) ?? '').startsWith('Sidebar'),
  )
  await page.press('Enter')
  await until('the sidebar is back', () => page.count('#sidebar'))
  await page.press('F1')
  await until('the keys are shown', () => page.count('[data-testid=keys]'))
  await page.press('Escape')
  await until('they are gone', async () => (await page.count('dialog')) === 0)
  await page.press('Control+Comma')
  await until('the settings are open', () => page.count('dialog[open] [type=radio]'))
  await page.click('dialog input[value=dark]')
  await until(
    'the page is dark',
    async () => (await page.run('return document.documentElement.dataset.scheme')) === 'dark',
  )
  await until('what was chosen is kept', async () => {
    const [place, preferences] = await Promise.all([
      here.call('ui_state_get', { keys: ['frame.place'] }),
      here.call('preferences_get', {}),
    ])
    return place.values['frame.place'] === '#/lists' && JSON.stringify(preferences).includes('"theme":"dark"')
  })
  await page.close()
  await until('another page comes back to the lists, dark', async () => {
    const again = await here.open()
    await until('a screen is shown', () => again.count('main h1'))
    const found = [
      await again.text('main h1'),
      await again.run('return document.documentElement.dataset.scheme'),
    ]
    await again.close()
    return found.join() === 'Lists,dark'
  })
})

test('two pages see what the other one makes', async () => {
  const one = await here.open()
  const two = await here.open()
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
  const page = await here.open()
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
  const page = await here.open()
  await seeOverview(page)
  await here.server.stop()
  here.server = undefined
  await until(
    'the status bar shows it',
    async () => (await page.text('[data-testid=transport]')) === 'Reconnecting…',
  )
})
