// What an import and a paste report about rows: unclear consent, invalid rows, opt-outs, and known numbers.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { cells } from '../support/files.mjs'
import { dropped, goesInto, mapped, openAt, openList, rehearsed } from '../support/imports.mjs'
import { pasteRows } from '../support/sheets.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
const WIDE = { viewport: { width: 1800, height: 900 } }
let list

beforeEach(async () => {
  await call('account_set_country', { country: 'GB' })
  list = (await call('list_create', { name: 'Guests' })).uid
})

/** Marks a column as opt-outs by one of its values. */
async function consents(page, column, value) {
  const dialog = page.tab.locator('dialog[open]')
  await goesInto(page, column).selectOption({ label: 'Opt-out column…' })
  await until('the first value has the focus', () =>
    page.run('return document.activeElement?.type === "checkbox"'),
  )
  await dialog.getByRole('checkbox', { name: value }).check()
  await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
}

test('an unclear answer is asked about once, and an answer that is left as it is counts', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const text = 'Phone,Unsubscribed?\n07700900001,yes\n07700900002,no\n07700900003,maybe\n'
  await dropped(page, { name: 'guests.csv', text })
  await mapped(page)
  await consents(page, 1, 'yes')
  await until('it is asked about', async () =>
    (await page.text('main')).includes('also holds “maybe” (1 row)'),
  )
  await tab.getByRole('button', { name: 'Values of “Unsubscribed?”…' }).click()
  await tab.locator('dialog[open]').getByRole('button', { name: 'Read opt-outs from it' }).click()
  await until('it is answered', async () => !(await page.text('main')).includes('also holds'))
  await rehearsed(page)
})

test('invalid rows are counted beside the ledger, fixed ones say how many opt-outs they add', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const text = 'Phone,Newsletter\n07700900001,\n12,STOP\n13,STOP\n'
  await dropped(page, { name: 'guests.csv', text })
  await mapped(page)
  await consents(page, 1, 'STOP')
  await rehearsed(page)
  await tab.getByRole('button', { name: 'Next: import' }).click()
  const summary = tab.getByTestId('import-ledger').locator('summary')
  await until('they are not imported', async () =>
    (await summary.innerText()).startsWith('Not imported: 2 invalid rows'),
  )
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported 1 contact/ }).waitFor()
  const [{ past }] = (await call('import_history', { page_number: 1, page_size: 1 })).items
  const { rows } = await call('import_rejects', { past, from: 0, count: 9 })
  const edits = rows.map(({ reject }, at) => ({ reject, column: 0, text: `0770090000${at + 2}` }))
  await call('import_rejects_mend', { past, edits })
  await tab.evaluate((hash) => (location.hash = hash), `#/import/past/${past}`)
  await tab.getByRole('button', { name: 'Import fixed rows' }).click()
  const dialog = tab.locator('dialog[open]')
  await dialog.getByText('This adds 4 opt-outs.').waitFor()
  await seeAccessible(page, 'the number of opt-outs of fixed rows')
  await dialog.getByLabel('Number of opt-outs to add').fill('4')
  await dialog.getByRole('button', { name: 'Import fixed rows' }).click()
  await until('they are there', async () => (await call('list_get', { uid: list })).contact_count === 3)
})

test('rows whose values the list does not take are listed separately, and can replace the stored values', async () => {
  const known = { phone_number: '+447700900001', firstname: 'Bronagh', email_address: 'b@example.com' }
  await call('contact_paste', { list, contacts: [known], region: null })
  const page = await openList(here, list)
  const { tab } = page
  const text = 'Phone,First name,E-mail\n07700900001,Zed,z@example.com\n07700900002,Cy,\n'
  await dropped(page, { name: 'guests.csv', text })
  await mapped(page)
  await rehearsed(page)
  await tab.getByRole('tab', { name: 'List’s values kept' }).click()
  await until('both values are shown', async () =>
    (await cells(tab)).some((cell) => cell.includes('keeps Bronagh, not Zed')),
  )
  await seeAccessible(page, 'values that the list keeps')
  await tab.getByRole('button', { name: 'Next: import' }).click()
  await tab.getByText('row with different values: the list keeps its own').waitFor()
  await tab.locator('main footer').getByRole('button', { name: 'Back' }).click()
  await tab.getByRole('tab', { name: 'List’s values kept' }).click()
  await tab.getByRole('button', { name: 'Overwrite the values in the list' }).click()
  await until('they take their place', async () =>
    (await cells(tab)).some((cell) => cell.includes('First name: Bronagh → Zed')),
  )
})

test('a fixed row that the list has already says so, and is not dropped without a word', async () => {
  const page = await openList(here, list)
  const { tab } = page
  await dropped(page, { name: 'guests.csv', text: 'Phone\n07700900001\n12\n13\n14\n' })
  await mapped(page)
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported 1 contact/ }).waitFor()
  const [{ past }] = (await call('import_history', { page_number: 1, page_size: 1 })).items
  const { rows } = await call('import_rejects', { past, from: 0, count: 9 })
  const edits = ['07700900001', '07700900002'].map((text, at) => ({
    reject: rows[at].reject,
    column: 0,
    text,
  }))
  await call('import_rejects_mend', { past, edits })
  await tab.evaluate((hash) => (location.hash = hash), `#/import/past/${past}`)
  await tab.getByRole('heading', { name: '3 rows are not imported yet' }).waitFor()
  await until('the row says so', async () => {
    const seen = await cells(tab)
    return (
      seen.includes('Valid, but already in the list: will be skipped') &&
      seen.includes('Valid: will be imported') &&
      seen.includes('Phone number: not a valid number')
    )
  })
  await tab.getByRole('button', { name: 'Import fixed rows' }).click()
  await tab
    .getByText('Imported 1 fixed row; 1 left. 1 valid row was skipped: already in the list or opted out.')
    .first()
    .waitFor()
  await tab.getByRole('heading', { name: '1 row is not imported yet' }).waitFor()
})

test('a text is replaced in all rows to fix, however many there are', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const lines = Array.from({ length: 60 }, (_, n) => `07700q9006${String(n).padStart(2, '0')}`)
  await dropped(page, { name: 'guests.csv', text: `Phone\n07700900001\n${lines.join('\n')}\n` })
  await mapped(page)
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported 1 contact/ }).waitFor()
  await tab.evaluate(() => (location.hash = '#/import/past'))
  await tab.getByText('Rows to fix').first().waitFor()
  const [{ past }] = (await call('import_history', { page_number: 1, page_size: 1 })).items
  await tab.evaluate((hash) => (location.hash = hash), `#/import/past/${past}`)
  await tab.getByRole('heading', { name: '60 rows are not imported yet' }).waitFor()
  await page.press('Control+h')
  const dialog = tab.locator('dialog[open]')
  await dialog.getByLabel('Find', { exact: true }).fill('Q')
  await seeAccessible(page, 'a replacement in rows to fix')
  await dialog.getByRole('button', { name: 'Change 60 cells' }).click()
  await until('all are valid', async () => (await cells(tab)).includes('Valid: will be imported'))
  await tab.getByRole('button', { name: 'Import fixed rows' }).click()
  await tab.getByText('Imported 60 fixed rows; 0 left.').first().waitFor()
})

test('a column that was filled is shown in the list and exported', async () => {
  const page = await openList(here, list, WIDE)
  const { tab } = page
  const text = 'Phone,Date of birth\n07700900001,1985-02-01\n07700900002,2093-01-02\n'
  await dropped(page, { name: 'guests.csv', text })
  await mapped(page)
  await rehearsed(page)
  await until('a date in the future is shown', async () =>
    (await tab.getByTestId('import-ledger').textContent()).includes(
      'They are in the future. They were kept as they are.',
    ),
  )
  await page.press('Control+Shift+Enter')
  await tab.getByRole('button', { name: 'Open the list' }).click()
  await tab.locator('main [role=grid]').waitFor()
  const heads = () => tab.locator('main [role=columnheader] .title').allTextContents()
  await until('it is there', async () => (await heads()).includes('Date of birth'))
  const key = `contacts.grid.${list}`
  await until('that is remembered', async () =>
    JSON.stringify(await call('ui_state_get', { keys: [key] })).includes('date_of_birth'),
  )
  await tab.reload()
  await tab.locator('main [role=grid]').waitFor()
  await until('it is still there', async () => (await heads()).includes('Date of birth'))
})

test('a paste says which numbers are known, and refused rows keep their numbers', async () => {
  await call('contact_paste', { list, contacts: [{ phone_number: '+447700900001' }], region: null })
  const entries = [{ number: '+447700900003', channels: ['SMS'], asset: null }]
  await call('opt_out_add', { entries, reason: 'Asked by e-mail', region: null })
  const page = await openList(here, list)
  const { tab } = page
  const numbers = ['tel:07700 900001', 'tel:07700900002', '12', '07700 900002', 'sms:+447700900003', '13']
  await pasteRows(page, ['Mobile\tFirst name', ...numbers.map((number, at) => `${number}\tGuest ${at}`)])
  await tab.getByRole('button', { name: 'Add 4 contacts', exact: true }).waitFor()
  const summary = await page.text('dialog [role=status]')
  assert.match(summary, /1 of them has a number that is in this list already/)
  assert.match(summary, /1 of them repeats a number of an earlier row/)
  assert.match(summary, /1 of them has an opted-out number/)
  assert.match(summary, /Row 4:/)
  await soon(async () => {
    const box = await tab.locator('dialog [role=status] li').last().boundingBox()
    assert.ok(box !== null && box.y + box.height < 720, 'what is refused is in view')
  })
  await seeAccessible(page, 'known numbers of a paste')
  await tab.getByRole('button', { name: 'Add 4 contacts', exact: true }).click()
  await until('refused rows have the numbers that they had', async () => {
    const shown = await cells(tab)
    return shown.includes('4') && shown.includes('7')
  })
})

test('a paste reads numbers as an import does, except those of people who opted out', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const numbers = [
    '07700900139 (mobile)',
    'Ann: 07700 900140',
    'Bob ‹07700 900141›',
    'Cy <07700900142>',
    'STOP 07700 900143',
  ]
  await pasteRows(page, ['Mobile', ...numbers])
  await tab.getByRole('button', { name: 'Add 4 contacts', exact: true }).click()
  await tab.getByText('Values of “phone_number” look as if someone had opted out').waitFor()
  const { contact_count: count } = await call('list_get', { uid: list })
  assert.equal(count, 4)
})

test('dates of birth are read in one form, and those that stay texts are counted', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const dates = ['1985-02-01', '5 May 1988', '07/08/90', 'in spring']
  const rows = dates.map((date, at) => `0770090000${at},${date}`)
  await dropped(page, { name: 'guests.csv', text: ['Phone,Date of birth', ...rows].join('\n') })
  await mapped(page)
  await tab.getByText('The date “07/08/90” can be read in two ways').waitFor()
  await tab.getByRole('button', { name: 'Day first' }).click()
  await rehearsed(page)
  const summary = tab.getByTestId('import-ledger').locator('summary')
  await until('what stays a text is shown', async () =>
    (await summary.textContent()).includes('1 date of birth could not be read and stays as text'),
  )
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: 'Imported 4 contacts into “Guests”' }).waitFor()
  const { items } = await call('contact_page', {
    list,
    page_number: 1,
    page_size: 10,
    sort: { field: 'phone_number', order: 'ASC' },
    filter: null,
    opted_out: null,
  })
  const born = items.map(({ values }) => values.date_of_birth)
  assert.deepEqual(born, ['1985-02-01', '1988-05-05', '1990-08-07', 'in spring'])
})

test('the account says in which country numbers are read', async () => {
  const american = Array.from({ length: 12 }, (_, at) => `+1 202 555 01${at + 10}`)
  const british = Array.from({ length: 9 }, (_, at) => `07700 90000${at}`)
  const page = await openAt(here, `#/lists/${list}`)
  await dropped(page, { name: 'guests.csv', text: ['Phone', ...american, ...british].join('\n') })
  await mapped(page)
  await rehearsed(page)
  await until('all are valid', async () => (await page.texts('main [role=tab]')).join().includes('New21'))
})
