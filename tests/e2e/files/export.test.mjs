// Exports in Chromium: rows, views, lists and the account, in every format, by mouse and by keys; and the
// confirmations.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, listOf, announced } from '../support/grid.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

/** The window reports the path, a browser the name. */
const SAVED = /^(?:Saved|Downloaded) 3 contacts as (?:.*\/)?Newsletter\.csv\.$/
const WIDE = { viewport: { width: 1800, height: 900 } }
const PEOPLE = [
  { number: 10, firstname: 'Ada', city: '=1+1' },
  { number: 11, firstname: 'Bo', city: 'York' },
  { number: 12, firstname: 'Cy', city: 'Bath' },
]

async function open(options = WIDE) {
  const list = await listOf(here, 'Newsletter', PEOPLE)
  const page = await at(here, list, options)
  return { ...page, list, dialog: page.tab.locator('dialog') }
}

/** Chooses a format and waits for the preview. */
async function choose(page, form) {
  await page.dialog.getByLabel('Format').selectOption(form)
  const beginning = page.dialog.getByRole('region', { name: 'Start of the file' })
  await beginning.waitFor()
  return beginning
}

/** Exports and returns the name and the bytes of the file. */
async function exported(page) {
  const coming = page.tab.waitForEvent('download')
  await page.dialog.getByRole('button', { name: 'Export contacts', exact: true }).click()
  const file = await coming
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0)
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

const linesOf = ({ bytes }) =>
  bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split(/\r?\n/)

test('a view is exported in every form, and the dialog shows what each will hold', async () => {
  const page = await open()
  const { tab, dialog } = page
  const begin = async () => {
    await (await cell(page, '+447700900012', 'First name')).click()
    await tab.keyboard.press('Control+e')
  }
  await begin()
  const text = await choose(page, 'csv')
  await until('formulas are guarded', async () => (await text.textContent()).includes("'=1+1"))
  await seeAccessible(page, 'the export of a table')
  await matchAria(page, 'lists/export', 'dialog')
  await dialog.getByLabel('Safe to open in a spreadsheet').uncheck()
  await until('the preview follows', async () => !(await text.textContent()).includes("'=1+1"))
  await dialog.getByText('runs every text that begins with').waitFor()
  await dialog.getByLabel('Safe to open in a spreadsheet').check()
  await dialog.getByLabel('Separator').selectOption('semicolon')
  const csv = await exported(page)
  assert.equal(csv.name, 'Newsletter.csv')
  assert.match(linesOf(csv)[0], /^Phone number;WhatsApp number;First name/)
  assert.equal(linesOf(csv).length, 4)
  await until('it is shown', async () => SAVED.test(await announced(page)))

  await begin()
  const table = await choose(page, 'xlsx')
  await table.getByRole('cell', { name: '=1+1', exact: true }).waitFor()
  await seeAccessible(page, 'the export of a workbook')
  const book = await exported(page)
  assert.equal(book.name, 'Newsletter.xlsx')
  assert.equal(book.bytes.subarray(0, 4).toString('latin1'), 'PK\u0003\u0004')

  await begin()
  await choose(page, 'vcard')
  await dialog.getByText('This format has no place for: Updated').waitFor()
  const cards = await exported(page)
  assert.equal(cards.name, 'Newsletter.vcf')
  assert.deepEqual(
    linesOf(cards).filter((line) => line.startsWith('FN:')),
    ['FN:Cy', 'FN:Bo', 'FN:Ada'],
  )

  await begin()
  await choose(page, 'jsonl')
  const records = linesOf(await exported(page)).map((line) => JSON.parse(line))
  assert.deepEqual(
    records.map(({ firstname, city }) => [firstname, city]),
    [
      ['Cy', 'Bath'],
      ['Bo', 'York'],
      ['Ada', '=1+1'],
    ],
  )

  await begin()
  await choose(page, 'seed')
  await dialog.getByText('You can fill a new account from it').waitFor()
  const seed = JSON.parse((await exported(page)).bytes.toString('utf8'))
  assert.equal(seed.lists[0].name, 'Newsletter')
  assert.equal(seed.lists[0].contacts.length, 3)
})

test('some columns of some rows are exported by keys alone', async () => {
  const page = await open()
  const { tab, dialog } = page
  await (await cell(page, '+447700900012', 'First name')).click()
  await tab.keyboard.press('Shift+ArrowDown')
  await tab.keyboard.press('Control+e')
  await dialog.getByText('The 2 selected rows').waitFor()
  await dialog.getByLabel(/visible columns?/).focus()
  // Down to “These columns”, which shows a checkbox for each.
  for (const key of ['ArrowDown', 'ArrowDown']) await tab.keyboard.press(key)
  const boxes = dialog.getByRole('group', { name: 'These columns' })
  await boxes.waitFor()
  await seeAccessible(page, 'the choice of columns')
  while ((await boxes.getByRole('checkbox', { checked: true }).count()) > 0) {
    await boxes.getByRole('checkbox', { checked: true }).first().focus()
    await tab.keyboard.press('Space')
  }
  await soon(async () =>
    assert.ok(await dialog.getByRole('button', { name: 'Export contacts', exact: true }).isDisabled()),
  )
  await boxes.getByLabel('City').focus()
  await tab.keyboard.press('Space')
  const coming = tab.waitForEvent('download')
  await tab.keyboard.press('Enter')
  const lines = linesOf({ bytes: await readFile(await (await coming).path()) })
  assert.deepEqual(lines, ['City', 'Bath', 'York'])
  await until('the grid has the focus again', () =>
    page.run("return document.activeElement?.role === 'grid'"),
  )
})

test('people who opted out are counted, and are left out by a tick', async () => {
  const page = await open()
  const { tab, dialog } = page
  const entries = [{ number: '+447700900011', channels: ['SMS'], asset: null }]
  await here.call('opt_out_add', { entries, reason: 'asked for it', region: null })
  await (await cell(page, '+447700900012', 'First name')).click()
  await tab.keyboard.press('Control+e')
  const text = await choose(page, 'csv')
  await dialog.getByText('1 of these contacts has opted out of SMS or WhatsApp.').waitFor()
  await seeAccessible(page, 'the export of people who opted out')
  await dialog.getByLabel('Skip contacts that have opted out').check()
  await until('the preview follows', async () => !(await text.textContent()).includes('+447700900011'))
  const lines = linesOf(await exported(page))
  assert.equal(lines.length, 3)
  assert.ok(!lines.join().includes('+447700900011'))
})

test('several lists are exported as one file that says which is which', async () => {
  await listOf(here, 'Spring', PEOPLE.slice(0, 1))
  await listOf(here, 'Summer', PEOPLE.slice(1))
  const page = await here.open({ ...WIDE, colorScheme: 'dark' })
  const { tab } = page
  const dialog = tab.locator('dialog')
  await tab.locator('nav a[href="#/lists"]').click()
  // Click beside the name, which is a link.
  const row = (name) => tab.locator('main tbody tr', { hasText: name }).getByRole('gridcell').first()
  await row('Spring').click()
  await row('Summer').click({ modifiers: ['Control'] })
  await tab.keyboard.press('Control+e')
  await dialog.getByText('The 2 selected lists, 3').waitFor()
  await choose({ ...page, dialog }, 'csv')
  await seeAccessible(page, 'the export of lists in the dark')
  const file = await exported({ ...page, dialog })
  assert.equal(file.name, 'Lists.csv')
  const [heads, ...lines] = linesOf(file)
  assert.match(heads, /^List,Phone number/)
  assert.deepEqual(lines.map((line) => line.split(',').slice(0, 2).join()).toSorted(), [
    'Spring,+447700900010',
    'Summer,+447700900011',
    'Summer,+447700900012',
  ])
})

test('the account is exported from the palette; a list that no longer exists is reported', async () => {
  const page = await open()
  const { tab, dialog } = page
  await tab.keyboard.press('Control+Shift+p')
  await tab.keyboard.type('Export all contacts')
  await tab.keyboard.press('Enter')
  await dialog.getByText('Every list in the account').waitFor()
  await choose(page, 'seed')
  await dialog.getByText('Everything in the account').waitFor()
  const seed = JSON.parse((await exported(page)).bytes.toString('utf8'))
  assert.deepEqual(Object.keys(seed), [
    'senders',
    'assets',
    'custom_fields',
    'lists',
    'opt_outs',
    'short_links',
  ])

  await tab.locator('nav a[href="#/lists"]').first().click()
  await tab.locator('main tbody tr', { hasText: 'Newsletter' }).getByRole('gridcell').first().click()
  await tab.keyboard.press('Control+e')
  await choose(page, 'jsonl')
  await here.call('list_delete', { uid: page.list, typed_name: 'Newsletter' })
  await until(
    'the list is gone',
    async () => !(await page.texts('main tbody tr')).some((row) => row.includes('Newsletter')),
  )
  await dialog.getByRole('button', { name: 'Export contacts', exact: true }).click()
  await until('it is shown', async () =>
    (await page.texts('dialog [role=alert]')).join().includes('There is no list'),
  )
  await seeAccessible(page, 'the fault')
})
