// Phone numbers without a country code use the country of the account: pasted, looked up, and fixed after they were
// refused.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, dropped, groups, mapped, openAt, openList, rehearsed } from '../support/imports.mjs'
import { britishNumbers, pasteRows } from '../support/sheets.mjs'
import { soon, until } from '../support/places.mjs'

const COUNTRY = 'Default country for phone numbers'
const here = consoleForEach()
const { call } = here
let list

beforeEach(async () => {
  list = (await call('list_create', { name: 'Guests' })).uid
})

const contacts = async () => (await call('overview_get', {})).counts.contacts
const chosen = (page) => page.tab.getByLabel(COUNTRY).inputValue()
const button = (page, name) => page.tab.getByRole('button', { name, exact: true })

test('three hundred numbers in ten spellings are pasted without a question', async () => {
  await call('account_set_country', { country: 'GB' })
  const page = await openList(here, list)
  await pasteRows(page, ['Mobile', ...britishNumbers(300)])
  await button(page, 'Add 300 contacts').waitFor()
  assert.equal(await chosen(page), 'GB')
  await seeAccessible(page, 'the country of a paste')
  await button(page, 'Add 300 contacts').click()
  await until(
    'all are there',
    async () => (await page.text('[data-testid=contact-count]')) === '300 contacts',
  )
  assert.equal(await contacts(), 300)
})

test('the pasted numbers with a country code say where the others are from', async () => {
  await call('account_set_country', { country: 'US' })
  const page = await openList(here, list)
  await pasteRows(page, ['+44 7700 900001', '+447700900002', '07700 900003', '(07700) 900-004'])
  await button(page, 'Add 4 contacts').waitFor()
  assert.equal(await chosen(page), 'GB')
})

test('numbers that are valid in the chosen country are read in it, whatever others are pasted with them', async () => {
  await call('account_set_country', { country: 'GB' })
  const page = await openList(here, list)
  await pasteRows(page, ['+1 202 555 0123', '+1 202 555 0124', '07700 900003'])
  await button(page, 'Add 3 contacts').waitFor()
  assert.equal(await chosen(page), 'GB')
})

test('a file with numbers of another country asks for it once', async () => {
  await call('account_set_country', { country: 'GB' })
  const page = await openList(here, list)
  const { tab } = page
  const rows = Array.from({ length: 20 }, (_, n) => `(202) 555-01${String(n).padStart(2, '0')},Guest ${n}`)
  await dropped(page, { name: 'guests.csv', text: ['Mobile,First name', ...rows].join('\n') })
  await mapped(page)
  const question = tab.locator('main').getByText(/not valid in the United Kingdom/)
  await question.waitFor()
  await seeAccessible(page, 'the country of a file')
  await tab.getByLabel('Default country for phone numbers').selectOption('US')
  await question.waitFor({ state: 'detached' })
  await rehearsed(page)
  assert.match(await groups(page), /^All rows20,New20/)
})

test('a country is chosen in the paste, and what is refused all the same is fixed as rows of an import', async () => {
  await call('account_set_country', { country: 'US' })
  const page = await openList(here, list)
  const { tab } = page
  const rows = britishNumbers(31).filter((number) => !number.includes('+') && !number.startsWith('0044'))
  await pasteRows(page, ['Mobile\tFirst name', ...rows.map((row) => `${row}\tAda`), '123\tNobody'])
  await until('none is American', async () =>
    (await page.text('dialog button[type=submit]')).startsWith('Fix'),
  )
  await tab.getByLabel(COUNTRY).selectOption('GB')
  await button(page, `Add ${rows.length} contacts`).waitFor()
  await soon(async () => assert.match(await page.text('dialog [role=status]'), /1 row cannot be added yet/))
  await button(page, `Add ${rows.length} contacts`).click()
  await at(page, 'rehearsal')
  await until(
    'one row is invalid',
    async () => (await groups(page)) === 'All rows1,Invalid1,Blank or header1',
  )
  assert.equal(await contacts(), rows.length)
  await page.press('F8')
  await tab.keyboard.type('07700 900999')
  await tab.keyboard.press('Enter')
  await until('it is new now', async () => (await groups(page)) === 'All rows1,New1,Blank or header1', 30_000)
  await button(page, 'Next: import').click()
  await at(page, 'accept')
  await page.press('Control+Shift+Enter')
  await button(page, 'Open the list').waitFor()
  assert.equal(await contacts(), rows.length + 1)
  const { hits } = await call('search_everything', {
    text: '07700 900999',
    noun: 'contact',
    after: null,
    limit: 5,
  })
  assert.deepEqual(
    hits.map(({ title }) => title),
    ['Nobody'],
  )
})

test('a number is looked up in the country of the account, or in the one chosen beside it', async () => {
  await call('account_set_country', { country: 'GB' })
  const entries = [{ number: '+447700900001', channels: ['SMS'], asset: null }]
  await call('opt_out_add', { entries, reason: 'Asked by e-mail', region: null })
  const page = await openAt(here, '#/optouts/lookup')
  const { tab } = page
  await until('the country is shown', async () => (await chosen(page)) === 'GB')
  await tab.getByLabel('Numbers', { exact: true }).fill('07700 900001\n(07700) 900-002')
  await button(page, 'Look up numbers').click()
  const totals = async () => (await page.texts('[role=tab]')).join()
  await until(
    'both are read',
    async () => (await totals()) === 'All2,May be messaged1,Opted out1,Duplicate0,Invalid0',
  )
  await tab.getByLabel(COUNTRY).selectOption('US')
  await button(page, 'Look up numbers').click()
  await until('neither is American', async () => (await totals()).endsWith('Invalid2'))
})

test('the country of the account is chosen in its settings, and undo takes it back', async () => {
  await call('account_set_country', { country: 'US' })
  const page = await openAt(here, '#/accounts')
  const { tab } = page
  await tab.getByRole('button', { name: /^Actions for/ }).click()
  await tab.getByRole('menuitem', { name: 'Country' }).click()
  await tab.getByLabel('Country', { exact: true }).selectOption('GB')
  await seeAccessible(page, 'the country of the account')
  await button(page, 'Save country').click()
  const code = async () => (await call('account_country', { numbers: [] })).code
  await until('it is chosen', async () => (await code()) === 'GB')
  await until('the dialog is closed', async () => (await page.count('dialog[open]')) === 0)
  await tab.keyboard.press('Control+z')
  await until('undo takes it back', async () => (await code()) === 'US')
})
