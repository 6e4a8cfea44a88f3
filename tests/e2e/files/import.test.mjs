// Imports in Chromium: dropped, pasted and typed rows get a rehearsal that adds up, and become contacts once it is
// accepted.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { cells, drop, focusedCell, paste } from '../support/files.mjs'
import {
  alerts,
  at,
  dropped,
  goesInto,
  groups,
  mapped,
  openAt,
  openList,
  rehearsed,
} from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
let list

const FILE = [
  'Phone;First name;City;Shoe size',
  '07700 900001;Ada;York;38',
  '07700 900002;Bo;Bath;41',
  '+447700900001;Twin;York;38',
  '4.47E+11;Gone;Leeds;40',
  ';;;',
  '07700 900003;Cy;Leeds;44',
].join('\n')

beforeEach(async () => {
  list = (await call('list_create', { name: 'Spring' })).uid
})

const open = (options) => openList(here, list, options)
const title = (page) => page.text('main h1')
const contacts = async () => (await call('list_get', { uid: list })).contact_count

test('a file dropped on a list is read, mapped, rehearsed, accepted and undone', async () => {
  const page = await open()
  const { tab } = page
  await drop(tab, 'main', [{ name: 'customers.csv', text: FILE }])
  await until('the list is known', async () => (await title(page)) === 'Import into “Spring”')
  await tab.locator('main table tr.head').waitFor()
  await soon(async () => assert.equal(await tab.getByLabel('Separator').inputValue(), ';'))
  await soon(async () =>
    assert.match(await page.text('main'), /6 of 6 rows have 4 columns|7 of 7 rows have 4 columns/),
  )
  await seeAccessible(page, 'the files')
  await matchAria(page, 'import/source')

  await tab.getByRole('button', { name: 'Next: columns' }).click()
  await at(page, 'mapping')
  await until('the columns are there', async () => (await page.count('main tr[data-column]')) === 4)
  const goes = tab.locator('main tr[data-column] select')
  await soon(async () =>
    assert.deepEqual(await goes.evaluateAll((all) => all.map((one) => one.value)), [
      'phone_number',
      'firstname',
      'city',
      '',
    ]),
  )
  await goes.nth(3).selectOption({ label: 'New custom field…' })
  await tab.locator('dialog[open]').getByRole('button', { name: 'Use field' }).click()
  await until('the new field is shown', async () =>
    (await page.text('main')).includes('Shoe size (new field)'),
  )
  await seeAccessible(page, 'the columns')
  await matchAria(page, 'import/mapping')

  await tab.getByRole('button', { name: 'Next: rehearse' }).click()
  await at(page, 'rehearsal')
  await until(
    'the groups add up to the rows',
    async () => (await groups(page)) === 'All rows5,New3,Duplicate in the file1,Invalid1,Blank or header2',
  )
  await soon(async () => assert.equal(await contacts(), 0))
  await seeAccessible(page, 'the rehearsal')
  await tab.getByRole('tab', { name: 'Duplicate in the file' }).click()
  await until('the twin alone is named', async () => {
    const seen = await cells(tab)
    return seen.includes('row 2 is imported') && !seen.includes('Blank or header')
  })
  await matchAria(page, 'import/rehearsal', 'main', [[/\d+(?= of \d+ rows)/g, 'n']])

  await tab.getByRole('button', { name: 'Next: import' }).click()
  await at(page, 'accept')
  await seeAccessible(page, 'the last word')
  await tab.getByRole('button', { name: 'Import 3 contacts' }).click()
  await tab.getByRole('heading', { name: 'Imported 3 contacts into “Spring”' }).waitFor()
  await soon(async () => assert.equal(await contacts(), 3))
  await seeAccessible(page, 'the result')
  await tab.getByRole('button', { name: 'Undo', exact: true }).last().click()
  await until('nobody is left', async () => (await contacts()) === 0)
  await tab.getByRole('heading', { name: 'The import into “Spring” was undone' }).waitFor()
  await seeAccessible(page, 'an import that was undone')
  await tab.locator('main').getByRole('button', { name: 'Redo' }).click()
  await tab.getByRole('heading', { name: 'Imported 3 contacts into “Spring”' }).waitFor()
  await soon(async () => assert.equal(await contacts(), 3))
  assert.deepEqual(page.complaints, [])
})

test('a broken file is reported with its place, and the rows before it can be imported', async () => {
  const page = await open({ colorScheme: 'dark' })
  const { tab } = page
  const broken = 'phone,city\n07700900001,York\n07700900002,"Ba\nth\n'
  await drop(tab, 'main', [{ name: 'broken.csv', text: broken }])
  await until('the place is shown', async () =>
    (await alerts(page)).includes('broken.csv is damaged at row 3'),
  )
  await page.press('Control+Enter')
  await until('it must be decided on', async () =>
    (await alerts(page)).includes('Decide about the damaged file'),
  )
  await at(page, 'source')
  await seeAccessible(page, 'a broken file in dark')
  await tab.getByRole('button', { name: 'Import the 1 row before it' }).click()
  await until('it is taken', async () => (await page.text('main')).includes('everything after it is skipped'))
  await page.press('Control+Enter')
  await at(page, 'mapping')
  await goesInto(page, 0).selectOption('')
  await until('a number is missing', async () => (await page.text('main')).includes('Before the rehearsal'))
  await page.press('Control+Enter')
  await until('the choice has the focus', () =>
    tab.evaluate(() => document.activeElement?.closest('[data-column]') !== null),
  )
  await at(page, 'mapping')
  await seeAccessible(page, 'columns without a number')
  await goesInto(page, 0).selectOption('phone_number')
  await until('nothing is missing', async () => !(await page.text('main')).includes('Before the rehearsal'))
  await page.press('Control+Enter')
  await until('one row is good', async () => (await groups(page)).includes('New1'))
})

test('pasted rows are imported by keys alone, and the next problem is found', async () => {
  const page = await openAt(here, '#/lists')
  const { tab } = page
  await page.press('Control+i')
  await until('the import is there', async () => (await title(page)) === 'Import')
  await seeAccessible(page, 'the beginning')
  await matchAria(page, 'import/start')
  await paste(tab, 'Phone\tName\n07700 900001\tAda\nnope\tBo')
  await at(page, 'source')
  await page.press('Control+Enter')
  await until('the list is asked for', async () => (await alerts(page)).includes('Choose the list'))
  await until('its field has the focus', () =>
    tab.evaluate(() => document.activeElement?.role === 'combobox'),
  )
  await tab.keyboard.type('Spr')
  await tab.getByRole('option', { name: 'Spring' }).waitFor()
  await page.press('ArrowDown')
  await page.press('Enter')
  await until('the list is known', async () => (await title(page)) === 'Import into “Spring”')
  await mapped(page)
  await rehearsed(page)
  await page.press('F8')
  await until('the bad row is shown', () =>
    tab.evaluate(() =>
      document.querySelector('[role=tab][aria-selected=true]')?.textContent?.startsWith('Invalid'),
    ),
  )
  await until('the bad cell is chosen', async () => (await focusedCell(tab)) === 'nope')
  // Corrected in place: typed over, and rehearsed again at once.
  await tab.keyboard.type('07700 900002')
  await page.press('Enter')
  await until('both are new', async () => (await groups(page)).includes('New2'))
  await page.press('F7')
  await at(page, 'mapping')
  await page.press('Control+Backspace')
  await at(page, 'source')
  await mapped(page)
  await rehearsed(page)
  await until('the groups are there again', async () => (await groups(page)).includes('New2'))
  // Also with the focus in the rows, where this key sets no filter.
  await tab.locator('main [role=grid]').focus()
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: 'Imported 2 contacts into “Spring”' }).waitFor()
  await soon(async () => assert.equal(await contacts(), 2))
  await until('the result has the focus', () =>
    tab.evaluate(() => document.activeElement?.id === 'done-title'),
  )
})

test('columns are combined and split, and the mapping is saved under a name', async () => {
  const page = await open()
  const { tab } = page
  const text = 'Number,Whole,First half,Other half\n07700900001,Ada King Lovelace,1,Long Street\n'
  await dropped(page, { name: 'people.csv', text })
  await mapped(page)
  const of = (column) => goesInto(page, column)
  await of(0).selectOption('phone_number')
  await of(1).selectOption({ label: 'Split…' })
  const dialog = tab.locator('dialog[open]')
  await dialog.getByLabel('Import part 1 as').selectOption('firstname')
  await dialog.getByLabel('Import part 2 as').selectOption('lastname')
  await seeAccessible(page, 'cutting apart')
  await dialog.getByRole('button', { name: 'Split column' }).click()
  await of(2).selectOption('address_1')
  await of(3).selectOption('address_1')
  await tab.getByRole('button', { name: 'Add a value…' }).click()
  await dialog.getByLabel('Import as').selectOption('country')
  await dialog.getByLabel('Text').last().fill('United Kingdom')
  await seeAccessible(page, 'a value put together')
  await dialog.getByRole('button', { name: 'Use value' }).click()
  const first = () => page.texts('main section:last-of-type tbody tr:first-child td')
  await until('the first row shows what it becomes', async () => {
    const values = (await first()).join('|')
    return ['Ada', 'King Lovelace', '1 Long Street', 'United Kingdom'].every((value) =>
      values.includes(value),
    )
  })
  await tab.getByRole('button', { name: 'Saved mappings' }).click()
  await tab.getByRole('menuitem', { name: 'Save this mapping…' }).click()
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByRole('button', { name: 'Save mapping', exact: true }).click()
  await until(
    'it is kept',
    async () => (await call('import_profile_list', { import: null })).items.length === 1,
  )
})

test('rows that could not be imported are fixed later, and stay when the import is reverted', async () => {
  const page = await open()
  const { tab } = page
  await dropped(page, { name: 'customers.csv', text: FILE })
  await mapped(page)
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported 3 contacts/ }).waitFor()
  await tab.getByRole('link', { name: 'Fix and import rows' }).click()
  await tab.getByRole('heading', { name: '1 row is not imported yet' }).waitFor()
  await until('the reason is shown', async () =>
    (await cells(tab)).some((text) => text.includes('spreadsheet')),
  )
  await seeAccessible(page, 'rows to fix')
  await page.press('F8')
  await until('the bad cell is chosen', async () => (await focusedCell(tab)) === '4.47E+11')
  await tab.keyboard.type('07700 900009')
  await page.press('Enter')
  await until('it is good now', async () => (await cells(tab)).some((text) => text.startsWith('Valid')))
  await tab.getByRole('button', { name: 'Import fixed rows' }).click()
  await until('it is in the list', async () => (await contacts()) === 4)

  await tab.evaluate(() => (location.hash = '#/import/past'))
  await until('both are in the history', async () => (await page.count('main tbody tr')) === 2)
  await seeAccessible(page, 'earlier imports')
  await tab.getByRole('link', { name: 'customers.csv' }).last().click()
  await tab.getByRole('button', { name: 'Revert…' }).click()
  await tab.locator('dialog[open]').getByText('3 contacts added by it are deleted').waitFor()
  await seeAccessible(page, 'taking it back')
  await tab.locator('dialog[open]').getByRole('button', { name: 'Revert import' }).click()
  await until('only the mended one is left', async () => (await contacts()) === 1)
})

test('a fixed row leaves the rows that cannot be imported, and Enter moves to the next one', async () => {
  const page = await open()
  const { tab } = page
  await dropped(page, {
    name: 'customers.csv',
    text: 'Phone,Name\nnope,Ada\nnada,Bo\nnil,Cy\n07700900009,Di',
  })
  await mapped(page)
  await rehearsed(page)
  await page.press('F8')
  for (const [n, wrong] of ['nope', 'nada', 'nil'].entries()) {
    await until(`${wrong} is next`, async () => (await focusedCell(tab)) === wrong)
    await tab.keyboard.type(`07700 90000${n + 1}`)
    await page.press('Enter')
    await until('it is taken', async () => (await groups(page)).includes(`New${n + 2}`))
  }
})
