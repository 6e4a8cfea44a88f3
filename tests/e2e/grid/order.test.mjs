// The order of rows and the way to them by keys, a replacement in chosen columns, and numbers that are known already.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, column, listOf, phones } from '../support/grid.mjs'
import { boxOf, picture, soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
const WIDE = { viewport: { width: 1800, height: 900 } }
const PEOPLE = [
  { number: 20, firstname: 'Cy', lastname: 'York', city: 'York' },
  { number: 21, firstname: 'Ann', city: 'York' },
  { number: 22, firstname: 'Bob', city: 'Leeds' },
]
const focused = (page) =>
  page.run('return document.activeElement?.closest("tr[data-key]")?.getAttribute("data-key") ?? null')

test('a list keeps its order, and says which it has without one', async () => {
  const list = await listOf(here, 'Newsletter', PEOPLE)
  const page = await at(here, list, WIDE)
  const { tab } = page
  assert.match(await tab.locator('main .order').getAttribute('title'), /added last come first/)
  await tab.getByRole('columnheader', { name: 'First name' }).locator('.title').click()
  await tab.keyboard.press('Alt+Shift+ArrowUp')
  const isSorted = async () => assert.deepEqual(await column(page, 'First name'), ['Ann', 'Bob', 'Cy'])
  await soon(isSorted)
  assert.equal(await tab.locator('main .order').count(), 0)
  await page.run('location.hash = "#/lists"')
  await until('the lists are there', async () => (await page.count('main tbody a')) > 0)
  await page.run("location.hash = '#/lists/' + arguments[0]", list)
  await soon(isSorted)
  // Stored values are written after a moment.
  await until('the order is stored', async () => {
    const key = `contacts.sort.${list}`
    return ((await call('ui_state_get', { keys: [key] })).values[key] ?? []).length === 1
  })
  await tab.reload()
  await soon(isSorted)
})

test('a section focuses its first row, column titles are one tab stop, and Alt+Left goes back', async () => {
  for (const name of ['North', 'South']) await listOf(here, name, PEOPLE)
  const page = await here.open()
  const { tab } = page
  await tab.locator('main h1').waitFor()
  await tab.keyboard.press('Alt+2')
  const first = async () => tab.locator('main tbody tr[data-key]').first().getAttribute('data-key')
  await until('the first row has the focus', async () => {
    const name = await focused(page)
    return name !== null && name === (await first())
  })
  await tab.keyboard.press('ArrowDown')
  await until('the second row has it', async () => (await focused(page)) !== (await first()))
  assert.equal(await page.count('main thead th > button[tabindex="0"]'), 1)
  await tab.keyboard.press('Shift+Tab')
  const title = () => page.run('return document.activeElement?.textContent.trim()')
  const before = await title()
  await tab.keyboard.press('ArrowRight')
  assert.notEqual(await title(), before)
  await tab.keyboard.press('ArrowDown')
  await until('the rows have it', async () => (await focused(page)) !== null)
  await tab.keyboard.press('Alt+ArrowLeft')
  await until('it goes back', () => page.run('return location.hash !== "#/lists"'))
})

test('a replacement says in which columns it searches, and stays in place', async () => {
  const list = await listOf(here, 'Newsletter', PEOPLE)
  const page = await at(here, list, WIDE)
  const { tab } = page
  await (await cell(page, '900020', 'Last name')).click()
  await (await cell(page, '900020', 'City')).click({ modifiers: ['Shift'] })
  await tab.keyboard.press('Control+h')
  const dialog = tab.locator('dialog[open]')
  const find = dialog.getByLabel('Find', { exact: true })
  const place = async () => (await boxOf(find)).y
  const before = await place()
  await find.fill('York')
  await dialog.getByLabel('Replace with').fill('Bath')
  await dialog.getByText('All 3 rows').click()
  await dialog.getByRole('radio', { name: /^All columns/ }).check()
  await dialog.getByRole('button', { name: 'Change 3 cells' }).waitFor()
  assert.equal(await place(), before)
  await seeAccessible(page, 'a replacement')
  await page.screenshot(await picture('replace-columns'))
})

test('a new contact whose number has opted out says so while it is typed', async () => {
  const list = await listOf(here, 'Newsletter', PEOPLE)
  const entries = [{ number: '+447700900055', channels: ['SMS'], asset: null }]
  await call('opt_out_add', { entries, reason: 'asked for it', region: null })
  const page = await at(here, list, WIDE)
  const { tab } = page
  await tab.getByRole('button', { name: 'New contact' }).click()
  const form = tab.getByTestId('contact-record')
  const number = form.getByLabel('Phone number', { exact: true })
  await number.fill('+447700900055')
  await form.getByText('This number has opted out: it will not be messaged').waitFor()
  await number.fill('+447700900020')
  await form.getByText('The list has this number already').waitFor()
  assert.equal(await form.getByText('has opted out').count(), 0)
  await number.fill('+447700900056')
  await until('nothing is known', async () => !(await form.textContent()).includes('The list has this'))
  assert.equal((await phones(page)).length, 3)
})
