// The grid of contacts by mouse in Chromium: fill handle, headings, menus, several ranges, lists of values, and slow
// operations.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, column, listOf, phones, announced, titleOf } from '../support/grid.mjs'
import { boxOf, soon, until } from '../support/places.mjs'

const here = consoleForEach()

/** The window reports the path, a browser the name. */
const SAVED = /^(?:Saved|Downloaded) 3 contacts as (?:.*\/)?Newsletter\.csv\.$/
const WIDE = { viewport: { width: 1800, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] }
const CITIES = ['Leeds', 'York', undefined]

/** Opens a list of twelve contacts, with +447700900021 first in view; the last two have no first name. */
async function open() {
  const people = Array.from({ length: 12 }, (_, n) => ({
    number: 10 + n,
    ...(n < 2 ? {} : { firstname: `Contact ${n}` }),
    city: CITIES[n % CITIES.length],
  }))
  const list = await listOf(here, 'Newsletter', people)
  const page = await at(here, list, WIDE)
  const { tab } = page
  const by = async (number, title) => cell(page, `+4477009000${number}`, title)
  const texts = (title, n) => async () => (await column(page, title)).slice(0, n).join()
  return {
    ...page,
    list,
    by,
    click: async (number, title, options) => (await by(number, title)).click(options),
    type: async (text) => {
      await tab.keyboard.type(text)
      await tab.keyboard.press('Enter')
    },
    shows: (title, wanted) =>
      until(
        `${title} shows ${wanted}`,
        async () => (await texts(title, wanted.split(',').length)()) === wanted,
      ),
    total: (text) =>
      until(`there are ${text}`, async () => (await page.text('[data-testid=contact-count]')) === text),
    heads: () => page.texts('main [role=columnheader] .title'),
    middle: async (locator) => {
      const { x, y, width, height } = await boxOf(locator)
      return [x + width / 2, y + height / 2]
    },
  }
}

/** Drags from one point to another. */
async function drag(tab, [x, y], [toX, toY]) {
  await tab.mouse.move(x, y)
  await tab.mouse.down()
  await tab.mouse.move(toX, toY, { steps: 6 })
  await tab.mouse.up()
}

test('the handle fills as far as it is dragged, goes on with a series, and follows the column beside it', async () => {
  const page = await open()
  const { tab } = page
  const handle = tab.locator('main .handle')
  await page.click(21, 'Last name')
  await page.type('No. 1')
  await page.click(21, 'Last name')
  await drag(tab, await page.middle(handle), await page.middle(await page.by(19, 'Last name')))
  await page.shows('Last name', 'No. 1,No. 1,No. 1,')
  await page.click(21, 'Last name')
  await tab.keyboard.down('Control')
  await drag(tab, await page.middle(handle), await page.middle(await page.by(18, 'Last name')))
  await tab.keyboard.up('Control')
  await page.shows('Last name', 'No. 1,No. 2,No. 3,No. 4,')
  await tab.keyboard.press('Control+z')
  await page.shows('Last name', 'No. 1,No. 1,No. 1,')
  await page.click(21, 'Last name')
  // Undo builds the view again; an act on rows of the old view would be refused.
  await page.rest()
  await handle.dblclick()
  // Ten rows have a first name; beside the last two there is nothing to follow.
  await page.shows('Last name', `${Array.from({ length: 10 }, () => 'No. 1').join()},,`)
})

test('a sweep over the headings chooses columns; those that are chosen are dragged elsewhere together', async () => {
  const page = await open()
  const { tab } = page
  const head = (title) => tab.locator('main [role=columnheader]', { hasText: title }).locator('.title')
  await drag(tab, await page.middle(head('First name')), await page.middle(head('Last name')))
  await until('both are chosen', async () =>
    (await page.text('[data-testid=selection]'))?.startsWith('12 rows · 24 cells'),
  )
  await drag(tab, await page.middle(head('Last name')), await page.middle(head('Company')))
  let order
  await until('both stand behind the company', async () => {
    order = await page.heads()
    const moved = order.slice(order.indexOf('E-mail'), order.indexOf('Last name') + 1)
    return moved.join() === 'E-mail,Company,First name,Last name'
  })
  await until('they stay chosen', async () =>
    (await page.text('[data-testid=selection]'))?.startsWith('12 rows · 24 cells'),
  )
  // Escape cancels a drag.
  const from = await page.middle(head('First name'))
  await tab.mouse.move(...from)
  await tab.mouse.down()
  await tab.mouse.move(from[0] - 400, from[1], { steps: 4 })
  await tab.keyboard.press('Escape')
  await tab.mouse.up()
  await soon(async () => assert.deepEqual(await page.heads(), order))
  const grip = tab.locator('main [role=columnheader]', { hasText: 'First name' }).locator('.grip')
  const width = async () => (await boxOf(await page.by(21, 'First name'))).width
  const usual = await width()
  await grip.dblclick()
  await until('the column fits its texts', async () => (await width()) < usual)
  // A press without a move selects the one column.
  await head('First name').click()
  await until('one is chosen', async () =>
    (await page.text('[data-testid=selection]'))?.startsWith('12 rows · 12 cells'),
  )
})

test('the context menu cuts and pastes, and one value goes into several ranges', async () => {
  const page = await open()
  const { tab } = page
  const choose = async (name) => {
    await tab.getByRole('menuitem', { name, exact: false }).first().click()
  }
  await page.click(21, 'First name', { button: 'right' })
  await seeAccessible(page, 'the context menu')
  await choose('Cut')
  await page.shows('First name', ',Contact 10')
  await page.click(21, 'Last name')
  await page.click(19, 'Company', { modifiers: ['Control'] })
  await page.click(19, 'Company', { button: 'right' })
  await tab.getByRole('menuitem', { name: /^Paste(?! special)/ }).click()
  await page.shows('Last name', 'Contact 11,,')
  await page.shows('Company', ',,Contact 11,')
  await tab.keyboard.press('Control+z')
  await page.shows('Company', ',,,')
})

test('a row that no longer matches stays until the rows are found again; a sorting is undone', async () => {
  const page = await open()
  const { tab } = page
  await page.click(21, 'City')
  await tab.keyboard.press('Alt+ArrowDown')
  await tab.getByRole('menuitem', { name: 'Filter by this column…' }).click()
  const rule = tab.getByRole('region', { name: 'Filter' }).getByRole('group', { name: 'Rule' })
  await rule.getByLabel('Value', { exact: true }).fill('leeds')
  await page.total('4 contacts')
  await page.click(19, 'City')
  await page.type('Bath')
  const left = tab.locator('main .line.left')
  await until('it stays, marked', async () => (await left.count()) === 1)
  await until('and shown', async () =>
    (await page.text('[data-testid=selection]'))?.startsWith('Grey rows no longer match the filter.'),
  )
  // The title of the row belongs to its cells too, so the pointer leaves it.
  await tab.mouse.move(1, 690)
  await soon(async () => assert.equal(await left.getAttribute('title'), 'no longer matches the filter'))
  await tab.locator('main').getByRole('button', { name: 'Refresh' }).click()
  await page.total('3 contacts')
  await soon(async () =>
    assert.equal(await tab.locator('main').getByRole('button', { name: 'Refresh' }).count(), 0),
  )
  await tab.keyboard.press('Escape')
  await page.click(22 - 6, 'City')
  await tab.keyboard.press('Alt+Shift+ArrowUp')
  const sorted = tab.locator('main [role=columnheader][aria-sort=ascending]')
  await sorted.waitFor()
  await tab.keyboard.press('Alt+ArrowDown')
  await tab.getByRole('menuitem', { name: 'Stop sorting by this column' }).click()
  await until('as they came', async () => (await sorted.count()) === 0)
})

test('a cell offers the values of its column, by keys and by pointer', async () => {
  const page = await open()
  const { tab } = page
  await page.click(21, 'City')
  await tab.keyboard.press('F2')
  await tab.keyboard.press('Alt+ArrowDown')
  const options = tab.locator('main').getByRole('option')
  await until('both cities', async () => (await options.allTextContents()).toSorted().join() === 'Leeds,York')
  await seeAccessible(page, 'the values of a cell')
  await tab.keyboard.type('yo')
  await until('those that fit', async () => (await options.allTextContents()).join() === 'York')
  for (const key of ['ArrowDown', 'Enter', 'Enter']) await tab.keyboard.press(key)
  await page.shows('City', 'York')
  await tab.keyboard.press('F2')
  await tab.keyboard.press('Alt+ArrowDown')
  await options.filter({ hasText: 'Leeds' }).click()
  await tab.keyboard.press('Tab')
  await page.shows('City', 'York,Leeds')
})

test('the filter field keeps blanks between words, and Enter leads into the rows', async () => {
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Control+Shift+l')
  await tab.keyboard.type('contact ')
  await page.total('10 contacts')
  await tab.keyboard.type('9')
  await page.total('1 contact')
  await soon(async () => assert.equal(await tab.getByLabel('Filter by any column').inputValue(), 'contact 9'))
  await tab.keyboard.press('Enter')
  await until('the rows have the focus', () => page.run("return document.activeElement?.role === 'grid'"))
  await until('the one that fits is shown', async () => (await phones(page)).join() === '19')
})

test('the title of a cell shows its whole text, and why a text was refused', async () => {
  const page = await open()
  const long = 'A company whose name is longer than the column it stands in'
  await page.click(21, 'Company')
  await page.type(long)
  await (await page.by(21, 'Company')).hover()
  await until('the whole text', async () => (await titleOf(await page.by(21, 'Company'))) === long)
  await page.click(20, 'Phone number')
  await page.type('12')
  const draft = page.tab.locator('main [role=gridcell][aria-invalid=true]')
  await draft.waitFor()
  // The pointer has rested on it since the click.
  await until('why', async () => (await titleOf(draft))?.startsWith('This is not a valid phone number.'))
})

test('chosen rows are exported as a file that a spreadsheet opens safely', async () => {
  const page = await open()
  const { tab } = page
  await page.click(21, 'Last name')
  await page.type('=1+1')
  await page.click(21, 'First name')
  await page.click(19, 'First name', { modifiers: ['Shift'] })
  await tab.keyboard.press('Control+e')
  const dialog = tab.locator('dialog')
  await dialog.getByText('The 3 selected rows').waitFor()
  await seeAccessible(page, 'the export')
  const coming = tab.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Export contacts', exact: true }).click()
  const file = await coming
  assert.equal(file.suggestedFilename(), 'Newsletter.csv')
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  assert.match(lines[0], /^\ufeff?Phone number,WhatsApp number,First name/)
  assert.equal(lines.length, 4)
  assert.match(lines[1], /^\+447700900021,,Contact 11,'=1\+1,/)
  await until('it is shown', async () => SAVED.test(await announced(page)))
})

test('when all rows are deleted, the focus moves to the next control and returns with them', async () => {
  const page = await open()
  const { tab } = page
  const active = () => page.run("return document.activeElement?.textContent ?? ''")
  await page.click(21, 'City')
  await tab.keyboard.press('Control+Shift+Enter')
  await page.total('4 contacts')
  await tab.keyboard.press('Control+Shift+a')
  await tab.keyboard.press('Control+Backspace')
  await until('the way on', async () => (await active()) === 'Show all contacts')
  await tab.keyboard.press('Control+z')
  await until('the rows have it', () => page.run("return document.activeElement?.role === 'grid'"))
  await page.total('4 contacts')
})
