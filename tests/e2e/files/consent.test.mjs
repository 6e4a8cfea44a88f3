// Consent in Chromium: an import may add opt-outs but never remove one; and opt-outs have an import of their own.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { cells, drop } from '../support/files.mjs'
import {
  alerts,
  dropped,
  fixture,
  goesInto,
  groups,
  mapped,
  openAt,
  openList,
  rehearsed,
  showGroup,
} from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
let list

/** A number that is opted out on both channels before any import. */
const OUT = '+447700900001'
const FILE = [
  'Phone,First name,Newsletter',
  '07700900001,Ada,yes',
  '07700900002,Bo,STOP',
  '07700900003,Cy,stop ',
  '07700900004,Di,',
].join('\n')

beforeEach(async () => {
  list = (await call('list_create', { name: 'Spring' })).uid
  const entries = [{ number: OUT, channels: ['SMS', 'WHATSAPP'], asset: null }]
  await call('opt_out_add', {
    entries,
    reason: 'Asked by telephone',
    region: null,
  })
})

/** Returns every opt-out of the account. */
async function optOuts() {
  const all = {
    number: null,
    kind: null,
    channel: null,
    scope: null,
    asset: null,
    inbound_number: null,
  }
  const { items } = await call('opt_out_page', {
    ...all,
    from: null,
    to: null,
    order: 'ASC',
    page_number: 1,
    page_size: 100,
  })
  return items.map(({ number, channel }) => `${number} ${channel}`).toSorted()
}
const BEFORE = [`${OUT} SMS`, `${OUT} WHATSAPP`]

test('a column says who opted out: values are chosen, counted by the person, and only ever added', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const dialog = tab.locator('dialog[open]')
  await dropped(page, { name: 'customers.csv', text: FILE })
  await mapped(page)
  await goesInto(page, 2).selectOption({ label: 'Opt-out column…' })
  await dialog.getByText('This only adds opt-outs').waitFor()
  await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
  await until('a value must be chosen', async () =>
    (await page.texts('dialog [role=alert]')).includes('Choose at least one value.'),
  )
  await seeAccessible(page, 'the values that mean opted out')
  await matchAria(page, 'import/consent', 'dialog[open]')
  await dialog.getByRole('checkbox', { name: 'STOP' }).check()
  await dialog.getByRole('checkbox', { name: 'WhatsApp' }).check()
  await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
  await until('the column shows what it does', async () =>
    /opted out: stop/i.test(await page.text('main tr[data-column="2"]')),
  )
  await rehearsed(page)
  await until('the one who is opted out is shown', async () =>
    (await page.text('main')).includes('1 of these contacts has opted out and stays opted out'),
  )
  await until('what becomes of each is shown', async () => {
    const text = (await cells(tab)).join('|')
    return text.includes('New · stays opted out') && text.split('New · opts out').length === 3
  })
  await seeAccessible(page, 'a rehearsal with consent')

  await tab.getByRole('button', { name: 'Next: import' }).click()
  // Two numbers on two channels, although the file has no WhatsApp numbers.
  await tab.getByText('This import adds 4 opt-outs').waitFor()
  const count = tab.getByLabel('Type 4, the number of opt-outs to add, to confirm')
  await tab.getByRole('button', { name: 'Import 4 contacts' }).click()
  await until('the count is asked for', async () => (await alerts(page)).includes('Type 4.'))
  await until('its field has the focus', () => count.evaluate((one) => one === document.activeElement))
  await seeAccessible(page, 'the count that is asked for')
  await count.fill('2')
  await page.press('Control+Shift+Enter')
  await until('a wrong count is refused', async () => (await alerts(page)).includes('Type 4.'))
  await soon(async () => assert.deepEqual(await optOuts(), BEFORE))
  await soon(async () => assert.equal((await call('list_get', { uid: list })).contact_count, 0))
  assert.match((await page.texts('main .notice')).join(), /Each channel counts/)
  await count.fill('4')
  await count.press('Enter')
  await tab.getByRole('heading', { name: 'Imported 4 contacts into “Spring”' }).waitFor()
  await soon(async () => assert.match(await page.text('main section.done'), /4 opt-outs added/))
  const onBoth = (number) => [`${number} SMS`, `${number} WHATSAPP`]
  const added = [...BEFORE, ...['+447700900002', '+447700900003'].flatMap(onBoth)].toSorted()
  await soon(async () => assert.deepEqual(await optOuts(), added))

  // Everybody in this file says “yes”, and all rows are imported as changes. Nobody may be opted in by that.
  await tab.evaluate((hash) => (location.hash = hash), `#/lists/${list}`)
  await tab.locator('main [role=grid]').waitFor()
  await dropped(page, {
    name: 'again.csv',
    text: FILE.replaceAll(/stop ?$/gim, 'yes'),
  })
  await mapped(page)
  await rehearsed(page)
  await until('those who are opted out are shown', async () =>
    (await page.text('main')).includes('3 of these contacts have opted out and stay opted out'),
  )
  await page.press('Control+Backspace')
  await tab.getByLabel('Existing values').selectOption({ label: 'Overwrite, even with blank values' })
  await goesInto(page, 1).selectOption('')
  await rehearsed(page)
  await page.press('Control+Enter')
  await tab.getByRole('button', { name: 'Import 0 contacts', disabled: true }).waitFor()
  await tab.getByText('No row adds or changes a contact, so there is nothing to import.').waitFor()
  await soon(async () => assert.deepEqual(await optOuts(), added))

  // Reverting the import removes no opt-out.
  await tab.evaluate(() => (location.hash = '#/import/past'))
  await tab.getByRole('link', { name: 'customers.csv' }).click()
  await tab.getByRole('button', { name: 'Revert…' }).click()
  await dialog.getByText('4 opt-outs added by it stay').waitFor()
  await dialog.getByRole('button', { name: 'Revert import' }).click()
  await until('the list is empty', async () => (await call('list_get', { uid: list })).contact_count === 0)
  await soon(async () => assert.deepEqual(await optOuts(), added))
})

test('a value that only holds a selected word is asked about like any other', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const dialog = tab.locator('dialog[open]')
  const text =
    'Phone,Unsubscribed?\n07700900002,yes\n07700900003,no\n07700900004,STOP\n07700900005,asked to stop 12/03\n'
  await dropped(page, { name: 'customers.csv', text })
  await mapped(page)
  await goesInto(page, 1).selectOption({ label: 'Opt-out column…' })
  await dialog.getByRole('checkbox', { name: 'yes' }).check()
  await dialog.getByRole('checkbox', { name: 'STOP (1)', exact: true }).check()
  await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
  await tab.getByText('“Unsubscribed?” also holds “asked to stop 12/03” (1 row)').waitFor()
  await tab.getByRole('button', { name: 'Values of “Unsubscribed?”…' }).click()
  await dialog.getByRole('checkbox', { name: 'asked to stop' }).check()
  await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
  await rehearsed(page)
  await page.press('Control+Enter')
  await tab.getByText('This import adds 6 opt-outs').waitFor()
})

test('a column that looks like consent is left out only after a question, and the account says so', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const text = 'Phone,Do not contact,Colour\n07700900002,yes,red\n07700900003,no,\n'
  await dropped(page, { name: 'customers.csv', text })
  await mapped(page)
  await until('it is asked about', async () =>
    (await page.text('main')).includes('“Do not contact” seems to say'),
  )
  await page.press('Control+Enter')
  await tab.locator('main [data-step=mapping]').waitFor()
  await seeAccessible(page, 'a question about consent')
  // The first answer has the focus and asks which values are opt-outs.
  const values = tab.getByRole('button', {
    name: 'Values of “Do not contact”…',
  })
  await until('it has the focus', () => values.evaluate((one) => one === document.activeElement))
  await page.press('Enter')
  await tab.locator('dialog[open]').getByRole('checkbox', { name: 'yes' }).waitFor()
  await tab.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).click()
  await tab.getByRole('button', { name: 'Skip it' }).click()
  await until('it is answered', async () => !(await page.text('main')).includes('seems to say'))
  await rehearsed(page)
  const ledger = tab.getByTestId('import-ledger')
  await until('what is left out is counted', async () =>
    (await ledger.locator('summary').innerText()).includes('Not imported: 2 columns and 3 values'),
  )
  await ledger.locator('summary').click()
  await until('each is shown with its reason', async () => {
    const reasons = await ledger.innerText()
    return [
      'Opt-out column “Do not contact”',
      'You left it out.',
      'Column “Colour”',
      '“red”'.slice(1, -1),
    ].every((part) => reasons.replaceAll(/\s+/g, ' ').includes(part))
  })
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported 2 contacts/ }).waitFor()
  await until('the same is shown afterwards', async () =>
    (await tab.getByTestId('import-ledger').locator('summary').innerText()).includes(
      '2 columns and 3 values',
    ),
  )
  await soon(async () => assert.deepEqual(await optOuts(), BEFORE))
})

test('a contact that is opted out says so, in the rehearsal and in the list, or is left out', async () => {
  const page = await openList(here, list, { colorScheme: 'dark' })
  const { tab } = page
  await dropped(page, { name: 'customers.csv', text: FILE })
  await mapped(page)
  // One of its values looks like consent.
  await tab.getByRole('button', { name: 'Skip it' }).click()
  await tab.getByLabel('Opted-out contacts').selectOption({ label: 'Skip' })
  await rehearsed(page)
  await until(
    'it is a group of its own',
    async () => (await groups(page)) === 'All rows4,New3,Opted out1,Blank or header1',
  )
  await showGroup(page, 'Opted out')
  await until('it is shown', async () => (await cells(tab)).includes(OUT))
  await seeAccessible(page, 'who is left out, in the dark')
  await page.press('Control+Backspace')
  await tab.getByLabel('Opted-out contacts').selectOption({ label: 'Import, keep opted out' })
  await rehearsed(page)
  await until('nobody is left out', async () => (await groups(page)) === 'All rows4,New4,Blank or header1')
  await page.press('Control+Shift+Enter')
  await tab.getByRole('button', { name: 'Open the list' }).click()
  const line = tab.locator('main .body .line:not([hidden])', { hasText: OUT })
  await line.waitFor()
  await until('the list marks it', async () => /opted out/i.test(await line.innerHTML()))
  await soon(async () => assert.deepEqual(await optOuts(), BEFORE))
})

test('a workbook of opt-outs is read by the core, and added with the typed count', async () => {
  const page = await openAt(here, '#/optouts/import')
  const { tab } = page
  await tab.getByLabel('Rows', { exact: true }).waitFor()
  await tab.getByLabel('Default country for phone numbers').selectOption('US')
  await drop(tab, 'main textarea', [await fixture('openpyxl.xlsx')])
  await until(
    'numbers of another country are shown',
    async () =>
      (await groups(page)) === 'All rows4,New1,Already opted out0,Duplicate in these rows0,Invalid3',
    30_000,
  )
  await tab.getByLabel('Default country for phone numbers').selectOption('GB')
  await until(
    'the groups sum to the rows',
    async () =>
      (await groups(page)) === 'All rows4,New3,Already opted out1,Duplicate in these rows0,Invalid0',
    30_000,
  )
  await soon(async () => assert.match(await page.text('main'), /openpyxl\.xlsx/))
  await soon(async () =>
    assert.equal(await tab.getByRole('combobox', { name: 'Number', exact: true }).inputValue(), '2'),
  )
  await seeAccessible(page, 'opt-outs of a workbook')
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('List of the shop')
  await tab.getByLabel('Type 6, the number of opt-outs to add, to confirm').fill('4')
  await tab.getByRole('button', { name: 'Add 6 opt-outs' }).click()
  await until('a wrong count is refused', async () =>
    (await alerts(page)).includes('Type 6, the number of opt-outs to add.'),
  )
  await soon(async () => assert.deepEqual(await optOuts(), BEFORE))
  await tab.getByLabel('Type 6, the number of opt-outs to add, to confirm').fill('6')
  await tab.getByRole('button', { name: 'Add 6 opt-outs' }).click()
  const added = ['+447700900002', '+447700900003', '+447700900004'].flatMap((number) => [
    `${number} SMS`,
    `${number} WHATSAPP`,
  ])
  await until(
    'they are added',
    async () => (await optOuts()).join() === [...BEFORE, ...added].toSorted().join(),
  )
  // The file no longer waits as an unfinished import.
  await until('it waits no more', async () => (await call('import_waiting')).imports.length === 0)
})

test('a choice that was not confirmed is not shown, and a column that looks like consent is asked about once', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const dialog = tab.locator('dialog[open]')
  await dropped(page, {
    name: 'customers.csv',
    text: 'Phone,Do not contact,Colour\n07700900002,yes,red\n',
  })
  await mapped(page)
  for (const end of ['Cancel', 'Close']) {
    await goesInto(page, 1).selectOption({ label: 'Opt-out column…' })
    await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
    await until('a value must be chosen', async () =>
      (await page.texts('dialog [role=alert]')).includes('Choose at least one value.'),
    )
    await dialog.getByRole('button', { name: end }).click()
    await soon(async () => assert.equal(await goesInto(page, 1).inputValue(), ''))
  }
  await goesInto(page, 1).selectOption('city')
  await until('it is used', async () => !(await page.text('main')).includes('seems to say'))
  await goesInto(page, 1).selectOption('')
  await until('it is asked about', async () =>
    (await page.text('main')).includes('“Do not contact” seems to say'),
  )
  await tab.getByRole('button', { name: 'Skip it' }).click()
  await until('it is answered', async () => !(await page.text('main')).includes('seems to say'))
  await rehearsed(page)
})

test('undoing an import and taking one back say that its opt-outs stay', async () => {
  const page = await openList(here, list)
  const { tab } = page
  const dialog = tab.locator('dialog[open]')
  const toasts = async () => (await page.texts('[data-testid=toast]')).join(' ')
  await dropped(page, { name: 'customers.csv', text: FILE })
  await mapped(page)
  await goesInto(page, 2).selectOption({ label: 'Opt-out column…' })
  await dialog.getByRole('checkbox', { name: 'STOP' }).check()
  await dialog.getByRole('button', { name: 'Read opt-outs from it' }).click()
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await tab.getByLabel('Type 4, the number of opt-outs to add, to confirm').fill('4')
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported/ }).waitFor()
  await soon(async () => assert.match(await page.text('main section.done'), /leaves its 4 opt-outs in place/))
  const added = await optOuts()

  await tab.evaluate(() => (location.hash = '#/import/past'))
  const row = tab.locator('main tbody tr', { hasText: 'customers.csv' })
  await row.getByRole('button', { name: 'Revert…' }).click()
  await dialog.getByText('4 opt-outs added by it stay').waitFor()
  await dialog.getByRole('button', { name: 'Revert import' }).click()
  await until('taking it back says so', async () => (await toasts()).includes('4 opt-outs stay.'))
  await row.getByText('Reverted', { exact: true }).waitFor()
  await soon(async () => assert.deepEqual(await optOuts(), added))
  await row.getByRole('link').click()
  await tab.getByText('The 4 opt-outs that came with it stayed.').waitFor()

  await page.press('Control+z')
  await until('it is there again', async () => (await call('list_get', { uid: list })).contact_count === 4)
  await tab.reload()
  await tab.locator('main h1').waitFor()
  await page.press('Control+z')
  await until('undo says so, too', async () => (await toasts()).includes('4 opt-outs stay.'))
  await soon(async () => assert.deepEqual(await optOuts(), added))
})
