// Dates of contacts in Chromium: the same format everywhere, comparisons in filters, and birthdays.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, column } from '../support/grid.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
let list

const WIDE = { viewport: { width: 1800, height: 900 }, locale: 'en-GB' }
const BORN = ['1950-02-01', '31/12/1999', '1960-02-29', '01/02/1950', 'soon', '']
const RENEWED = ['2026-01-05', '2026-02-28', 'never', '22/07/2026', '', '']

beforeEach(async () => {
  list = (await call('list_create', { name: 'Spring' })).uid
  const { number } = await call('custom_field_add', { label: 'Renewal' })
  const contacts = BORN.map((born, n) => ({
    phone_number: `+44770090000${n}`,
    firstname: `Person ${n}`,
    date_of_birth: born || null,
    [`field_${number}`]: RENEWED[n] || null,
  }))
  const layout = { order: [], widths: {}, shown: { date_of_birth: true }, frozen: [] }
  await call('ui_state_put', { key: `contacts.grid.${list}`, value: layout })
  await call('contact_paste', { list, contacts, region: null })
})

const names = async (page) => (await column(page, 'First name')).map((name) => name.slice(-1)).join('')
const shows = (page, wanted) => until(`contacts ${wanted}`, async () => (await names(page)) === wanted)

async function ruleOn(page, field) {
  const { tab } = page
  await tab.keyboard.press('Control+Shift+e')
  const rule = tab.getByRole('region', { name: 'Filter' }).getByRole('group', { name: 'Rule' }).last()
  await rule.getByLabel('Field').selectOption({ label: field })
  const by = (label) => rule.getByLabel('Condition').selectOption({ label })
  return { rule, by, fill: (label, text) => rule.getByLabel(label, { exact: true }).fill(text) }
}

test('dates of birth are filtered before, between and on a day, and by invalid dates', async () => {
  const page = await at(here, list, WIDE)
  await page.tab.getByRole('grid').focus()
  const { rule, by, fill } = await ruleOn(page, 'Date of birth')
  await soon(async () =>
    assert.equal(await rule.getByLabel('Condition').locator('option:checked').textContent(), 'is before'),
  )
  await fill('Day', '1960-01-01')
  await shows(page, '0')
  // Days are typed and shown in the order of the language, which is British here.
  const day = rule.getByLabel('Day', { exact: true })
  await fill('Day', '2/3/1960')
  await shows(page, '02')
  await day.press('Tab')
  await soon(async () => assert.equal(await day.inputValue(), '02/03/1960'))
  await fill('Day', 'soon')
  await day.press('Tab')
  await until('a text that is not a date is refused', async () =>
    (await rule.getByRole('alert').textContent())?.includes(
      'This is not a date. Enter one such as 31/12/2026.',
    ),
  )
  await shows(page, '02')
  await fill('Day', '1960-01-01')
  await until('a date ends the error', async () => (await rule.getByRole('alert').count()) === 0)
  await fill('Day', 'soon')
  await day.press('Tab')
  await rule.getByRole('alert').waitFor()
  await by('is not a date')
  await by('is before')
  await until('the error went with the field', async () => (await rule.getByRole('alert').count()) === 0)
  await by('is between')
  await fill('First day', '1960-02-29')
  await fill('Last day', '1999-12-31')
  await shows(page, '12')
  await seeAccessible(page, 'a filter between two days')
  await fill('Last day', '1950-01-01')
  await until('a range that ends before it begins is refused', async () =>
    (await rule.getByRole('alert').textContent())?.includes('must not be before the first day'),
  )
  await by('is not a date')
  await shows(page, '34')
  await by('birthday in')
  await rule.getByLabel('Month').selectOption({ label: 'February' })
  await shows(page, '02')
  await by('birthday in the next')
  await fill('Days', '366')
  await shows(page, '012')
  // The filter is unchanged when it is opened again.
  await page.tab.keyboard.press('Escape')
  await page.tab.keyboard.press('Control+Shift+e')
  await soon(async () => assert.equal(await rule.getByLabel('Days').inputValue(), '366'))
})

test('a custom field is compared by days where it holds dates, and by texts where it does not', async () => {
  const page = await at(here, list, WIDE)
  await page.tab.getByRole('grid').focus()
  const { rule, by, fill } = await ruleOn(page, 'Renewal')
  await by('is after')
  await fill('Day', '2026-01-31')
  await shows(page, '13')
  await rule.getByLabel('Field').selectOption({ label: 'City' })
  const conditions = await rule.getByLabel('Condition').locator('option').allTextContents()
  assert.ok(!conditions.includes('is after'), conditions.join())
  await shows(page, '012345')
})

test('dates read alike in the rows, the record, its history and the values of a column', async () => {
  const page = await at(here, list, WIDE)
  const { tab } = page
  await soon(async () =>
    assert.deepEqual(await column(page, 'Date of birth'), [
      '1 Feb 1950',
      '31 Dec 1999',
      '29 Feb 1960',
      '01/02/1950',
      'soon',
      '',
    ]),
  )
  await soon(async () =>
    assert.deepEqual((await column(page, 'Renewal')).slice(0, 4), [
      '5 Jan 2026',
      '28 Feb 2026',
      'never',
      '22/07/2026',
    ]),
  )
  await (await cell(page, '+447700900000', 'Date of birth')).click()
  // Editing shows the stored form.
  await tab.keyboard.press('F2')
  await soon(async () =>
    assert.equal(await tab.locator('.editor textarea, .editor input').inputValue(), '1950-02-01'),
  )
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('F4')
  const record = tab.getByTestId('contact-record')
  await record.getByText('This is 1 Feb 1950.').waitFor()
  await record.getByLabel('Date of birth').fill('1951-03-04')
  await record.getByText('This is 4 Mar 1951.').waitFor()
  await tab.keyboard.press('Enter')
  const history = tab.getByTestId('contact-history')
  await history.getByText('1 Feb 1950 → 4 Mar 1951').waitFor()
  await seeAccessible(page, 'a record with a date')
})
