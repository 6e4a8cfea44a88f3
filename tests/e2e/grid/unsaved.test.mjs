// Unsaved text in a record survives and is marked; and the list accepts keys from the start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach } from '../support/console.mjs'
import { at, listOf, row } from '../support/grid.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const PEOPLE = [
  { number: 10, firstname: 'Ann' },
  { number: 11, firstname: 'Bob' },
  { number: 12, firstname: 'Cay' },
]
const inGrid = (page) =>
  until('the rows have the keys', () =>
    page.run(`return document.activeElement?.getAttribute('role') === 'grid'`),
  )
const lead = (page, name) => row(page, name).locator('[role=rowheader]')
const field = (page, name) => page.tab.locator(`[data-testid=contact-record] [name=${name}]`)

test('an opened list takes keys at once, Esc leaves a field, and the row of unsaved text is marked', async () => {
  const page = await at(here, await listOf(here, 'Newsletter', PEOPLE))
  const { tab } = page
  await inGrid(page)
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('F4')
  await until('the second is shown', async () => (await field(page, 'firstname').inputValue()) === 'Bob')
  await field(page, 'city').fill('Leeds')
  await until('its row is marked', async () => (await lead(page, 'Bob').textContent()).includes('✎'))
  await soon(async () =>
    assert.match((await lead(page, 'Bob').getAttribute('title')) ?? '', /unsaved text in its record/),
  )
  await field(page, 'city').press('Escape')
  await until('the record is closed', async () => (await tab.getByTestId('contact-record').count()) === 0)
  await inGrid(page)
  await soon(async () => assert.match(await lead(page, 'Bob').textContent(), /✎/))

  // The mark follows its row into another order.
  await tab.keyboard.press('Control+Home')
  await tab.keyboard.press('F4')
  await field(page, 'firstname').waitFor()
  await soon(async () => assert.doesNotMatch(await lead(page, 'Ann').textContent(), /✎/))
  await tab.keyboard.press('Control+ArrowDown')
  await until('the text is still there', async () => (await field(page, 'city').inputValue()) === 'Leeds')
  await field(page, 'city').press('Enter')
  await until(
    'the mark goes with the save',
    async () => !(await lead(page, 'Bob').textContent()).includes('✎'),
  )
  assert.deepEqual(page.complaints, [])
})
