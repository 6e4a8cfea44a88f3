// The grid alone, over a million generated rows, by keyboard, mouse, wheel, clipboard and finger in Chromium.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { build, serve } from '../../bench/grid/build.mjs'
import { startBrowser } from '../support/console.mjs'
import { boxOf, soon } from '../support/places.mjs'

const LAST = 1_000_000

let browser
let server

before(async () => {
  await build()
  server = await serve()
  browser = await startBrowser({ bars: true })
})
after(async () => {
  await browser?.close()
  server?.stop()
})

/** Opens the page; its errors fail the test at the end. */
async function open(t, query = '', options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const tab = await context.newPage()
  const complaints = []
  tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(String(error)))
  t.after(async () => {
    await context.close()
    assert.deepEqual(complaints, [])
  })
  await tab.goto(`${server.url}/page.html${query}`)
  const grid = tab.getByRole('grid')
  await tab.locator('[role=gridcell]:not(:empty)').first().waitFor()
  await grid.focus()
  const page = {
    tab,
    grid,
    press: async (...keys) => {
      for (const key of keys) await tab.keyboard.press(key)
    },
    /** Returns the selection as the screen would see it. */
    chosen: () =>
      tab.evaluate(() => {
        const { focus, groups, cells } = globalThis.grid.getSelection()
        return { focus, cells, groups: groups.map(({ rows, columns }) => ({ rows: rows.pairs, columns })) }
      }),
    focus: async () => {
      const { row, column } = (await page.chosen()).focus
      return `${row} ${column}`
    },
    /** Returns the text of the focused cell once it is loaded. */
    active: () =>
      tab.evaluate(() => {
        const id = document.querySelector('[role=grid]').getAttribute('aria-activedescendant')
        const cell = id === null ? null : document.getElementById(id)
        const row = cell?.closest('[role=row]')
        return { text: cell?.textContent, row: Number(row?.getAttribute('aria-rowindex')) }
      }),
    until: (what, arg) => tab.waitForFunction(what, arg, { timeout: 10_000 }),
    shows: (row, text) =>
      page.until(
        ([at, wanted]) =>
          [
            ...document.querySelectorAll(
              `[role=row][aria-rowindex="${at + 2}"]:not([hidden]) [role=gridcell]`,
            ),
          ].some((cell) => cell.textContent === wanted),
        [row, text],
      ),
    cell: async (row, column) => {
      const { x, y, width, height } = await boxOf(
        tab.locator(`[role=row][aria-rowindex="${row + 2}"] [aria-colindex="${column + 2}"]`),
      )
      return { x: x + width / 2, y: y + height / 2, right: x + width, bottom: y + height }
    },
    announcements: () => tab.evaluate(() => globalThis.announcements),
    calls: () => tab.evaluate(() => globalThis.fake.calls),
  }
  return page
}

describe('the grid', () => {
  it('is walked by keys, to every edge and back', async (t) => {
    const page = await open(t)
    await page.press('ArrowDown', 'ArrowDown', 'ArrowRight')
    await soon(async () => assert.equal(await page.focus(), '2 title'))
    await page.press('End')
    await soon(async () => assert.equal(await page.focus(), '2 created_at'))
    await page.press('Control+End')
    await soon(async () => assert.equal(await page.focus(), `${LAST - 1} created_at`))
    await page.shows(LAST - 1, 'contact.1000000@example.com')
    await soon(async () => assert.equal(await page.grid.getAttribute('aria-rowcount'), String(LAST + 1)))
    await soon(async () => assert.equal((await page.active()).row, LAST + 1))
    await page.press('Control+Home')
    await soon(async () => assert.equal(await page.focus(), '0 phone_number'))
    await page.press('PageDown')
    await page.until(() => globalThis.grid.getSelection().focus.row > 10)
    await page.press('PageUp', 'Alt+PageDown')
    await soon(async () => assert.notEqual((await page.chosen()).focus.column, 'phone_number'))
    // Every seventh cell in the column of titles is empty, so the source must find the edge of the data.
    await page.press('Control+Home', 'ArrowRight', 'ArrowDown', 'Control+ArrowDown')
    await page.until(() => globalThis.grid.getSelection().focus.row === 6)
    await page.press('Tab', 'Tab', 'Enter')
    await soon(async () => assert.equal(await page.focus(), '7 title'))
  })

  it('selects ranges, rows, columns, everything, and everything except one row', async (t) => {
    const page = await open(t)
    await page.press('Shift+ArrowDown', 'Shift+ArrowRight')
    await soon(async () =>
      assert.deepEqual((await page.chosen()).groups, [
        { rows: [[0, 2]], columns: ['phone_number', 'title'] },
      ]),
    )
    await soon(async () =>
      assert.equal(await page.tab.locator('[role=gridcell][aria-selected=true]').count(), 4),
    )
    await page.press('Shift+Space')
    await soon(async () => assert.equal((await page.chosen()).groups[0].columns.length, 24))
    await page.press('Escape', 'Control+Space')
    await soon(async () =>
      assert.deepEqual((await page.chosen()).groups, [{ rows: [[0, LAST]], columns: ['phone_number'] }]),
    )
    await page.press('Escape', 'Control+a')
    await page.until((all) => globalThis.grid.getSelection().cells === all, LAST * 24)
    const lead = await boxOf(page.tab.locator('[role=row][aria-rowindex="7"] [role=rowheader]'))
    await page.tab.keyboard.down('Control')
    await page.tab.mouse.click(lead.x + 40, lead.y + 5)
    await page.tab.keyboard.up('Control')
    await soon(async () =>
      assert.deepEqual((await page.chosen()).groups[0].rows, [
        [0, 5],
        [6, LAST],
      ]),
    )
  })

  it('is dragged over, with the rows coming along at the edge', async (t) => {
    const page = await open(t)
    const from = await page.cell(2, 1)
    const to = await page.cell(5, 3)
    await page.tab.mouse.move(from.x, from.y)
    await page.tab.mouse.down()
    await page.tab.mouse.move(to.x, to.y, { steps: 4 })
    await soon(async () =>
      assert.deepEqual((await page.chosen()).groups, [
        { rows: [[2, 6]], columns: ['title', 'first_name', 'last_name'] },
      ]),
    )
    await page.tab.mouse.move(to.x, 799)
    await page.until(() => globalThis.grid.getSelection().groups[0].rows.end > 60)
    await page.tab.mouse.up()
  })

  it('scrolls to the last row by thumb and by wheel in whole rows, and by touch', async (t) => {
    const page = await open(t, '', { hasTouch: true })
    const bar = page.tab.locator('.bar.down')
    await soon(async () => assert.ok((await bar.evaluate((each) => each.scrollHeight)) <= 8_000_000))
    const box = await boxOf(bar)
    await page.tab.mouse.move(box.x + 7, box.y + 10)
    await page.tab.mouse.down()
    await page.tab.mouse.move(box.x + 7, box.y + box.height + 50, { steps: 6 })
    await page.tab.mouse.up()
    await page.shows(LAST - 1, 'contact.1000000@example.com')
    await page.tab.mouse.move(600, 400)
    await page.tab.mouse.wheel(0, -320)
    await page.until(
      () => document.querySelectorAll('[role=row][aria-rowindex="1000001"]:not([hidden])').length === 0,
    )
    await page.tab.mouse.wheel(0, 640)
    await page.shows(LAST - 1, 'contact.1000000@example.com')
    await bar.evaluate((each) => (each.scrollTop = 0))
    await page.shows(0, 'contact.1@example.com')
    await page.tab.mouse.wheel(0, 96)
    await page.until(() => document.querySelector('.body [role=row]').getAttribute('aria-rowindex') === '5')
    const touch = await page.tab.context().newCDPSession(page.tab)
    const finger = (type, y) =>
      touch.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: 500, y }],
      })
    await finger('touchStart', 600)
    for (let y = 590; y >= 200; y -= 10) await finger('touchMove', y)
    await finger('touchEnd')
    await page.until(
      () => Number(document.querySelector('.body [role=row]').getAttribute('aria-rowindex')) >= 15,
    )
  })

  it('edits: typing, F2, Enter and Tab, Escape, new lines, into all that is chosen', async (t) => {
    const page = await open(t)
    await page.press('ArrowRight', 'ArrowRight')
    await page.tab.keyboard.type('Zoë')
    await soon(async () => assert.equal(await page.tab.getByRole('textbox').inputValue(), 'Zoë'))
    await page.press('Enter')
    await soon(async () => assert.equal(await page.focus(), '1 first_name'))
    await page.shows(0, 'Zoë')
    await page.press('F2', 'End')
    await page.tab.keyboard.type('bel')
    await page.press('Tab')
    await page.shows(1, 'Anabel')
    await soon(async () => assert.equal(await page.focus(), '1 last_name'))
    await page.tab.keyboard.type('no')
    await page.press('Escape')
    await page.shows(1, 'García')
    await page.tab.keyboard.type('one')
    await page.press('Alt+Enter')
    await page.tab.keyboard.type('two')
    await page.press('Enter')
    await page.shows(1, 'one\ntwo')
    // Back to the column where the run of Tab began.
    await soon(async () => assert.equal(await page.focus(), '2 first_name'))
    await page.press('ArrowRight')
    await page.press('Shift+ArrowDown', 'Shift+ArrowDown')
    await page.tab.keyboard.type('Unchanged')
    await page.press('Control+Enter')
    await page.shows(4, 'Unchanged')
    await soon(async () =>
      assert.deepEqual((await page.calls()).at(-1), {
        act: { set: 'Unchanged' },
        groups: [{ rows: [[2, 5]], columns: ['last_name'] }],
      }),
    )
    await page.press('Delete')
    await page.until(() => globalThis.fake.calls.at(-1).act?.clear === true)
    await soon(async () =>
      assert.equal((await page.announcements()).filter(({ kind }) => kind === 'failed').length, 0),
    )
  })

  it('shows a refused value as a draft, with the reason while it is typed and on focus', async (t) => {
    const page = await open(t)
    await page.tab.keyboard.type('0770')
    await page.tab.getByText('A phone number has a plus sign').first().waitFor()
    await soon(async () =>
      assert.equal(await page.tab.getByRole('textbox').getAttribute('aria-invalid'), 'true'),
    )
    await page.press('Enter')
    await page.until(
      () => document.querySelector('[role=gridcell][aria-invalid=true]')?.textContent === '0770',
    )
    await page.until(() => document.querySelector('.live').textContent.includes('kept as a draft'))
    await page.press('ArrowUp')
    await page.until(() => document.querySelector('.live').textContent.includes('plus sign'))
  })

  it('edits the very last row', async (t) => {
    const page = await open(t)
    await page.press('Control+End', 'Home', 'ArrowRight', 'ArrowRight')
    await page.shows(LAST - 1, 'contact.1000000@example.com')
    await page.tab.keyboard.type('Last')
    await page.press('Enter')
    await page.shows(LAST - 1, 'Last')
  })

  it('copies, pastes, fills down and goes on with a series', async (t) => {
    const page = await open(t)
    await page.press('ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown', 'Control+c')
    await page.until(() => globalThis.announcements.some(({ kind }) => kind === 'copied'))
    await soon(async () =>
      assert.equal(
        await page.tab.evaluate(() => navigator.clipboard.readText()),
        'Dmitri\tBrandt\nAna\tGarcía',
      ),
    )
    await page.press('Escape')
    await page.tab.evaluate(() => globalThis.grid.go(10, 'first_name'))
    await page.press('Control+v')
    await page.shows(11, 'García')
    await soon(async () =>
      assert.deepEqual((await page.calls()).at(-1), {
        paste: { row: 10, columns: ['first_name', 'last_name'], rows: 2 },
        special: false,
      }),
    )
    // Pasting at the very end adds rows.
    await page.press('Control+End', 'Home', 'ArrowRight', 'Control+v')
    await page.until(() => document.querySelector('[role=grid]').getAttribute('aria-rowcount') === '1000002')
    await page.tab.evaluate(() => globalThis.grid.go(0, 'field_1'))
    const handle = await boxOf(page.tab.locator('.handle'))
    await page.tab.mouse.move(handle.x + 4, handle.y + 4)
    await page.tab.mouse.down()
    await page.tab.keyboard.down('Control')
    const target = await page.cell(3, 6)
    await page.tab.mouse.move(target.x, target.y, { steps: 5 })
    await page.tab.mouse.up()
    await page.tab.keyboard.up('Control')
    await page.until(() => globalThis.fake.calls.at(-1).paste?.row === 1)
    await page.shows(3, '1-4')
    await page.tab.evaluate(() => globalThis.grid.go(0, 'city'))
    await page.press('Shift+ArrowDown', 'Shift+ArrowDown', 'Control+d')
    await page.until(() => globalThis.fake.calls.at(-1).act?.fill === 'down')
    await page.shows(2, 'Bristol')
  })

  it('arranges columns by keys, by menu and by hand', async (t) => {
    const page = await open(t)
    const heads = () => page.tab.locator('[role=columnheader] .title').allTextContents()
    await page.press('Alt+Shift+ArrowRight')
    await soon(async () => assert.deepEqual((await heads()).slice(0, 2), ['Title', 'Phone number']))
    await page.press('Alt+Shift+ArrowDown')
    await soon(async () =>
      assert.equal(await page.tab.locator('[aria-sort=descending] .title').textContent(), 'Phone number'),
    )
    await page.press('Alt+ArrowDown')
    await page.tab.getByRole('menu').waitFor()
    await page.tab.getByRole('menuitem', { name: 'Freeze up to this column' }).click()
    await page.press('End')
    await soon(async () =>
      assert.ok(await page.tab.locator('.head .lock').getByText('Phone number').isVisible()),
    )
    const grip = await boxOf(page.tab.locator('[role=columnheader] .grip').nth(0))
    await page.tab.mouse.move(grip.x + 4, grip.y + 10)
    await page.tab.mouse.down()
    await page.tab.mouse.move(grip.x + 84, grip.y + 10, { steps: 4 })
    await page.tab.mouse.up()
    await soon(async () => {
      const { width } = await page.tab.locator('[role=columnheader]').nth(1).boundingBox()
      assert.equal(Math.round(width), 170)
    })
  })

  it('keeps its memory while all rows pass by', async (t) => {
    const page = await open(t)
    const cdp = await page.tab.context().newCDPSession(page.tab)
    const heap = async () => {
      await cdp.send('HeapProfiler.collectGarbage')
      return (await cdp.send('Runtime.getHeapUsage')).usedSize
    }
    const pass = (from, to) =>
      page.tab.evaluate(
        async ([low, high]) => {
          const bar = document.querySelector('.bar.down')
          const way = bar.scrollHeight - bar.clientHeight
          for (let step = low; step < high; step += 1) {
            bar.scrollTop = (way * step) / 300
            for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
          }
        },
        [from, to],
      )
    await pass(0, 100)
    const early = await heap()
    await pass(100, 300)
    const late = await heap()
    assert.ok(late < early * 1.25 + 2_000_000, `${early} bytes after a third, ${late} after all`)
    assert.ok(late < 60_000_000)
  })
})
