// The overview in Chromium: the first steps, counts and cards that follow every change, and an error with a way to try
// again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { openView } from '../support/commands.mjs'
import { consoleForEach, openConsole, testNeeding } from '../support/console.mjs'
import { picture, soon, until } from '../support/places.mjs'

const here = consoleForEach()
const it = testNeeding('played answers')

async function open(options) {
  const page = await here.open(options)
  await until('home is there', async () => (await page.text('main h1')) === 'Home')
  return page
}
const count = (page, of) => page.text(`[data-testid=overview-${of}]`)

test('a fresh account says what to do, by keys alone, until all of it is done or it is hidden', async () => {
  const page = await open()
  const { tab } = page
  await until('what to do first is shown', async () => (await page.texts('main h2')).includes('Get started'))
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
  const steps = tab.getByRole('region', { name: 'Get started' }).getByRole('listitem')
  await until(
    'the first step is done',
    async () =>
      (await steps.allTextContents()).map((step) => step.includes('Done')).join() === 'true,false,false',
  )
  await seeAccessible(page, 'a home with one step done')
  await tab.getByRole('region', { name: 'Get started' }).getByRole('button', { name: 'Hide' }).click()
  await soon(async () => assert.equal((await page.texts('main h2')).includes('Get started'), false))
  await tab.keyboard.press('Control+z')
  await until('undo is counted too', async () => (await count(page, 'lists')) === '0')
})

test('the cards follow what programs do, and lead to their screens, in the dark', async () => {
  const { call } = here
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

it('counts that cannot be read are shown with their last values, and can be loaded again', async () => {
  const { call } = here
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

test('the cards fill every row, at any width', async () => {
  for (const width of [900, 1280, 1600, 1920, 2560]) {
    const page = await open({ viewport: { width, height: 900 } })
    const ragged = await page.run(`
      const rows = (css) => {
        const tops = [...document.querySelectorAll(css)].map((card) => Math.round(card.getBoundingClientRect().top))
        const sizes = [...new Set(tops)].map((top) => tops.filter((one) => one === top).length)
        return new Set(sizes).size
      }
      return [rows('main .cards > *'), rows('main .more > *')]`)
    assert.deepEqual(ragged, [1, 1], `${width} px`)
    await page.close()
  }
})

testNeeding('a clock')('a relative time moves on by itself', async () => {
  const { call } = here
  await call('list_create', { name: 'Newsletter' })
  const page = await openConsole(here.browser, 'about:blank')
  await page.tab.clock.install()
  await page.tab.goto(here.server.console_url)
  const ago = () => page.texts('main li time')
  await until('it is now', async () => (await ago()).some((text) => text === 'just now'))
  await page.tab.clock.fastForward('03:00')
  await until('it was minutes ago', async () => (await ago()).every((text) => text === '3 minutes ago'))
})

/** Finds cards whose edges do not align with those of their row, which would leave a hole. */
const HOLES = `
  const holes = []
  for (const grid of document.querySelectorAll('main .cards, main .more')) {
    const edges = grid.getBoundingClientRect()
    const rows = Map.groupBy([...grid.children], (card) => Math.round(card.getBoundingClientRect().top))
    const near = (one, other) => Math.abs(one - other) < 2
    for (const cards of rows.values()) {
      const boxes = cards.map((card) => card.getBoundingClientRect())
      const isFull = near(boxes[0].left, edges.left) && near(boxes.at(-1).right, edges.right)
      if (!isFull || boxes.some((box) => !near(box.bottom, boxes[0].bottom)))
        holes.push(cards.map((card) => card.textContent.trim().slice(0, 20)).join(' | '))
    }
  }
  return holes
`

test('it shows what arrived and what waits, links to both, and leaves no holes at any size', async () => {
  const { call } = here
  const { uid: list } = await call('list_create', { name: 'Newsletter' })
  const contacts = [1, 2].map((last) => ({ phone_number: `+44770090000${last}` }))
  await call('contact_paste', { list, contacts, region: null })
  const page = await open({ reducedMotion: 'reduce' })
  const { tab } = page
  const waiting = () => page.texts('[data-testid=waiting] li')
  await until('nothing waits', async () => (await page.texts('main')).join().includes('Nothing is waiting.'))
  await call('opt_out_add', {
    entries: [{ number: '+447700900001', channels: ['SMS'], asset: null }],
    reason: 'Asked by telephone',
    region: null,
  })
  await until('the opt-out came in', async () => (await page.text('[data-testid=recent-optouts]')) === '1')
  const { view } = await openView(call, list)
  const cells = [{ row: 0, field: 'phone_number', text: '0770' }]
  await call('grid_edit', { view, generation: null, cells, region: null })
  await until(
    'the draft waits',
    async () => (await waiting()).join() === '1 contact with a draft in Newsletter',
  )
  await seeAccessible(page, 'a home with something that waits')
  for (const [width, height] of [
    [1280, 800],
    [1440, 900],
    [1024, 700],
  ]) {
    await tab.setViewportSize({ width, height })
    await soon(async () => assert.deepEqual(await page.run(HOLES), [], `${width} × ${height}`))
    await page.screenshot(await picture(`overview-${width}`))
  }
  await tab.getByRole('link', { name: '1 contact with a draft in Newsletter' }).click()
  await until(
    'it leads to the draft',
    async () => (await page.text('[data-testid=contact-count]')) === '1 contact',
  )
})
