// Unsaved text in a record survives and is marked; and the list accepts keys from the start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach } from '../support/console.mjs'
import { at, listOf, row } from '../support/grid.mjs'
import { sleep, soon, until } from '../support/places.mjs'

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

test('a record takes every character, Ctrl+S saves it, and an error is in sight', async () => {
  const page = await at(here, await listOf(here, 'Newsletter', PEOPLE))
  const { tab } = page
  await inGrid(page)
  await tab.keyboard.press('F4')
  await field(page, 'address_1').click()
  await tab.keyboard.type('Flat 3/12')
  await soon(async () => assert.equal(await field(page, 'address_1').inputValue(), 'Flat 3/12'))
  await tab.keyboard.press('Control+s')
  await until('it is saved', async () => !(await lead(page, 'Ann').textContent()).includes('✎'))
  assert.match(await tab.evaluate(() => location.hash), /^#\/lists\//)
  assert.equal(await field(page, 'address_1').inputValue(), 'Flat 3/12')

  await tab.locator('main').getByRole('button', { name: 'New contact' }).click()
  await until('the record is empty', async () => (await field(page, 'firstname').inputValue()) === '')
  await field(page, 'phone_number').fill('123')
  await field(page, 'country').fill('GB')
  await field(page, 'country').press('Enter')
  await until('the number is refused', async () =>
    page.run(`
      const { activeElement: field } = document
      if (field.name !== 'phone_number' || field.getAttribute('aria-invalid') !== 'true') return false
      const { left, top, width, height } = field.getBoundingClientRect()
      return [top + 2, top + height - 2].every((y) => document.elementFromPoint(left + width / 2, y) === field)`),
  )
})

test('a new contact stays in the record, although the filter leaves it out', async () => {
  const page = await at(here, await listOf(here, 'Newsletter', PEOPLE))
  const { tab } = page
  await inGrid(page)
  await tab.locator('main').getByRole('searchbox').fill('Bob')
  await until('one is left', async () => (await page.text('[data-testid=contact-count]')) === '1 contact')
  await tab.locator('main').getByRole('button', { name: 'New contact' }).click()
  await until('the record is empty', async () => (await field(page, 'firstname').inputValue()) === '')
  await field(page, 'phone_number').fill('+447700900077')
  await field(page, 'phone_number').press('Enter')
  const number = async () => field(page, 'phone_number').inputValue()
  await until('it is added', async () => (await lead(page, '+447700900077').count()) === 1)
  await until('its record is shown', async () => (await number()) === '+447700900077')
  await field(page, 'lastname').fill('Dow')
  await field(page, 'lastname').press('Enter')
  await tab.getByTestId('toast').filter({ hasText: 'Saved Dow' }).waitFor()
  for (let look = 0; look < 5; look += 1) {
    await sleep(100)
    assert.equal(await number(), '+447700900077')
  }
})
