// A very long list in the console: go to its end, edit there, change half of it at once, cancel half-way, undo; also
// after a restart of the server.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { consoleForAll } from '../support/console.mjs'
import { countOf, longList, MANY, onlyList, openLong, showEverything, uidOf } from '../support/long-list.mjs'
import { boxOf, soon, until } from '../support/places.mjs'

const LAST = MANY - 1
const HALF = MANY / 2
/** Time for an act on half of the rows, in an unoptimised build on a busy machine. */
const LONG_MS = 240_000
const words = (count) => count.toLocaleString('en-GB')

const here = consoleForAll({ fill: (file) => longList(file, MANY), bars: true })
const { call } = here
let list

beforeEach(async () => {
  if (list !== undefined) return
  list = await onlyList(call)
  await showEverything(call, list)
})

const open = () => openLong(here, list, MANY)

/** Returns a contact as the REST interface sends it. */
async function throughRest(row) {
  const size = 100
  const page = `page_number=${Math.floor(row / size) + 1}&page_size=${size}&fields=uid,firstname,city,email_address`
  const answer = await fetch(`${here.server.url}/contacts/v1/contacts/list/${list}?${page}`, {
    headers: { 'x-auth-key': 'test' },
  })
  const body = await answer.json()
  assert.equal(answer.status, 200, JSON.stringify(body))
  assert.equal(body.paging.total_items, MANY)
  // The interface lists contacts that were created in the same second, which fill a page, in reverse order.
  const found = body.items.find(({ uid }) => uid === uidOf(row, MANY))
  assert.ok(found, JSON.stringify(body.items.map(({ uid }) => uid)))
  return found
}

test('its last rows are reached by key, thumb, wheel and number, and edits survive a reload', async () => {
  const page = await open()
  const { tab, grid } = page
  await soon(async () => assert.equal(await grid.getAttribute('aria-rowcount'), String(MANY + 1)))
  await soon(async () => assert.equal(await grid.getAttribute('aria-colcount'), '25'))
  await page.press('Control+End')
  await page.standsAt(LAST)
  await page.press('Control+Home')
  await page.standsAt(0)

  const bar = await boxOf(tab.locator('.bar.down'))
  const x = bar.x + bar.width / 2
  await tab.mouse.move(x, bar.y + 8)
  await tab.mouse.down()
  await tab.mouse.move(x, bar.y + bar.height / 2, { steps: 5 })
  await until('the middle goes by', async () => {
    const first = Number(await tab.locator('main .body .line').first().getAttribute('aria-rowindex'))
    return first > MANY / 4 && first < (MANY / 4) * 3
  })
  await tab.mouse.move(x, bar.y + bar.height + 40, { steps: 5 })
  await tab.mouse.up()
  await page.standsAt(LAST)

  const { x: left, y: top, height } = await boxOf(page.line(LAST - 3))
  await tab.mouse.move(left + 300, top)
  await tab.mouse.wheel(0, -50 * height)
  await page.standsAt(LAST - 50)
  await soon(async () => assert.equal(await page.line(LAST).count(), 0))
  await tab.mouse.wheel(0, 80 * height)
  await page.standsAt(LAST)

  await page.press('Control+Home')
  await page.goTo(LAST - 1, 'First name')
  await page.standsAt(LAST - 1)
  await tab.keyboard.type('Zoe')
  await page.press('Enter')
  await page.shows(LAST - 1, 'Zoe')
  await page.goTo(LAST, 'City')
  await tab.keyboard.type('Land’s End')
  await page.press('Enter')
  await page.shows(LAST, 'Land’s End')
  await until('it is saved', async () => {
    const { values } = await call('contact_get', { uid: uidOf(LAST, MANY) })
    return values.city === 'Land’s End'
  })
  await soon(async () => assert.equal((await throughRest(LAST - 1)).firstname, 'Zoe'))
  await soon(async () => assert.equal((await throughRest(LAST)).city, 'Land’s End'))

  await tab.reload()
  await page.counted(`${words(MANY)} contacts`)
  await page.standsAt(0)
  await grid.focus()
  await page.press('Control+End')
  await page.shows(LAST, 'Land’s End')
  await page.shows(LAST - 1, 'Zoe')
  await page.press('Control+z')
  await until('the last is undone', async () => (await throughRest(LAST)).city !== 'Land’s End')
  await page.press('Control+z')
  await until('the one before, too', async () => (await throughRest(LAST - 1)).firstname !== 'Zoe')
  assert.deepEqual(page.complaints, [])
})

const ending = (value) => ({ field: 'email_address', op: 'ends', value })
const changedNow = () => countOf(call, list, ending('@example.org'))
const keptNow = () => countOf(call, list, ending('@example.com'))

/** Checks in the core, the interface and the grid that nothing of the act remains. */
async function seeUntouched(page) {
  await soon(async () => assert.equal(await keptNow(), MANY))
  for (const row of [0, Math.floor(HALF / 3), HALF - 1])
    await soon(async () => assert.match((await throughRest(row)).email_address, /@example\.com$/))
  await until('the rows in view have their addresses', async () => {
    const texts = (await page.texts('main .body .line:not([hidden]) [role=gridcell]')).join()
    return texts.includes('@example.com') && !texts.includes('@example.org')
  })
}

async function seeChanged(page) {
  await soon(async () => assert.equal(await changedNow(), HALF))
  for (const [row, end] of [
    [0, /@example\.org$/],
    [HALF - 1, /@example\.org$/],
    [HALF, /@example\.com$/],
  ])
    await soon(async () => assert.match((await throughRest(row)).email_address, end))
  await until('the rows in view are changed', async () =>
    (await page.texts('main .body .line:not([hidden]) [role=gridcell]')).join().includes('@example.org'),
  )
}

/** Selects the first half by keys and opens the replacement; returns its button. */
async function askForHalf(page) {
  await page.goTo(HALF - 1, 'E-mail')
  await page.press('Control+Shift+ArrowUp')
  await until('half of the column is chosen', async () =>
    (await page.text('[data-testid=selection]'))?.startsWith(`${words(HALF)} rows · ${words(HALF)} cells`),
  )
  await page.press('Control+h')
  await page.dialog.getByLabel('Find', { exact: true }).fill('example.com')
  await page.dialog.getByLabel('Replace with').fill('example.org')
  await soon(async () =>
    assert.ok(await page.dialog.getByRole('radio', { name: `The ${words(HALF)} selected rows` }).isChecked()),
  )
  const act = page.dialog.getByRole('button', { name: `Change ${words(HALF)} cells` })
  await act.waitFor({ timeout: LONG_MS })
  await soon(async () => assert.equal(await page.count('dialog tbody tr'), 10))
  return act
}

const readHistory = () => call('history_standing')

/** Starts an act and returns how many of its rows are done while it runs. An act that ended before the test saw it
 *  run is undone and started again. */
async function catchRunning(page, rows, start, rowsDone) {
  const last = (await readHistory()).undo?.id
  for (;;) {
    await start()
    const done = await until(
      'a part of the rows is done, or all of them',
      async () => (await rowsDone()) || ((await readHistory()).undo?.id !== last && rows),
      LONG_MS,
    )
    if (done < rows) return done
    await page.press('Control+z')
    await page.done('Undone', LONG_MS)
  }
}

/** Reads the number of rows from a sentence such as “Changing cells… 12,000 of 100,000 rows”. */
const rowsIn = (text) => Number(/([\d,]+) of [\d,]+ rows/.exec(text ?? '')?.[1].replaceAll(',', '') ?? 0)

test('the status bar shows the progress of emptying a column and cancels it; then nothing has changed', async () => {
  const page = await open()
  const { tab } = page
  const filled = () => countOf(call, list, { field: 'city', blank: false })
  await soon(async () => assert.equal(await filled(), MANY))
  const running = tab.locator('footer').getByTestId('running')
  await catchRunning(
    page,
    MANY,
    async () => {
      await page.goTo(0, 'City')
      await page.press('Control+Space', 'Delete')
    },
    async () => ((await running.count()) === 0 ? 0 : rowsIn(await running.textContent({ timeout: 5_000 }))),
  )
  await here.server.whileHalted(() => running.getByRole('button', { name: 'Cancel' }).click())
  await until('it is shown', async () =>
    (await page.text('[data-testid=announcement]'))?.includes('nothing was changed'),
  )
  await soon(async () => assert.equal(await filled(), MANY))
  await soon(async () => assert.ok(await page.run("return document.activeElement?.role === 'grid'")))
})

test('closing a dialog cancels the preview that it requested', async () => {
  const page = await open()
  const { tab } = page
  await page.press('Control+h')
  const sent = tab.waitForRequest((request) => request.url().endsWith('/grid_act'))
  await page.dialog.getByLabel('Find', { exact: true }).fill('a')
  const request = await sent
  await page.press('Escape')
  await page.closed()
  const answer = await (await request.response()).json()
  assert.equal(answer.code, 'cancelled', JSON.stringify(answer).slice(0, 200))
})

test('a replacement in half of the rows is stopped half-way, done wholly, undone, redone, and undone after a restart', async () => {
  const page = await open()
  const last = (await readHistory()).undo?.id
  const rows = await catchRunning(
    page,
    HALF,
    async () => (await askForHalf(page)).click(),
    async () => rowsIn((await page.texts('dialog [data-testid=running] .rows'))[0]),
  )
  const stop = page.dialog.getByRole('button', { name: 'Stop' })
  assert.ok(rows < HALF, `${rows} of ${HALF} were done`)
  await here.server.whileHalted(() => stop.click())
  await until('the dialog says so', async () => /Nothing was changed/.test(await page.dialog.textContent()))
  await soon(async () => assert.equal((await readHistory()).undo?.id, last, 'there is nothing to undo'))
  await page.dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.closed()
  await page.press('Control+Home')
  await seeUntouched(page)

  await (await askForHalf(page)).click()
  await page.closed(LONG_MS)
  await page.done(`Changed ${words(HALF)} cells.`)
  await page.press('Control+Home')
  await seeChanged(page)

  await page.press('Control+z')
  await page.done('Undone', LONG_MS)
  await seeUntouched(page)
  await page.press('Control+Shift+z')
  await page.done('Redone', LONG_MS)
  await seeChanged(page)

  await page.close()
  await here.server.stop()
  await here.start()
  const later = await open()
  await later.goTo(0, 'E-mail')
  await later.press('Control+z')
  await later.done('Undone', LONG_MS)
  await seeUntouched(later)
  await soon(async () => assert.equal((await readHistory()).undo?.id, last))
  assert.deepEqual(later.complaints, [])
})
