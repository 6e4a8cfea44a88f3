// Several files and several sheets become one import, whose rules decide about existing contacts.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { cells, drop } from '../support/files.mjs'
import {
  at,
  dropped,
  fixture,
  goesInto,
  groups,
  mapped,
  openList,
  rehearsed,
  showGroup,
} from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
let list

beforeEach(async () => {
  list = (await call('list_create', { name: 'Spring' })).uid
})

/** Returns the contacts of the list: number, first name, city. */
async function people() {
  const page = { page_number: 1, page_size: 100, sort: null, filter: null, opted_out: null }
  const { items } = await call('contact_page', { list, ...page })
  return items
    .map(({ values: { phone_number, firstname, city } }) =>
      [phone_number, firstname ?? '', city ?? ''].join(),
    )
    .toSorted()
}

const names = (page) => page.texts('main ul[aria-label=Files] .name')

test('several files at once become one import; any of them can be taken out of it', async () => {
  const page = await openList(here, list)
  const { tab } = page
  await dropped(
    page,
    { name: 'shop.csv', text: 'Phone;First name\n07700900001;Ada\n07700900002;Bo\n' },
    { name: 'fair.tsv', text: 'City\tPhone\nYork\t07700900003\nBath\t07700900002\n' },
    {
      name: 'cards.vcf',
      text: 'BEGIN:VCARD\nVERSION:3.0\nN:;Di;;;\nTEL;TYPE=CELL:+447700900004\nEND:VCARD\n',
    },
  )
  await until(
    'all three are read',
    async () =>
      (await page.texts('main ul[aria-label=Files] .file-facts')).filter((text) => /row/.test(text))
        .length === 3,
  )
  await soon(async () => assert.deepEqual(await names(page), ['shop.csv', 'fair.tsv', 'cards.vcf']))
  // Another file is added and removed again.
  await drop(tab, 'main', [{ name: 'wrong.csv', text: 'Phone\n07700900009\n' }])
  await until('it is there', async () => (await names(page)).length === 4)
  await tab.getByRole('button', { name: 'Remove wrong.csv from the import' }).click()
  await until('it is gone', async () => (await names(page)).length === 3)
  await tab.getByRole('button', { name: /^fair\.tsv/ }).click()
  await until('its rows are shown', async () => (await page.text('main table')).includes('York'))
  await seeAccessible(page, 'several files')
  await mapped(page)
  // Two files use different headings for one field.
  await until(
    'both names of the number go into it',
    async () =>
      (await page.texts('main tr[data-column]')).filter((text) =>
        text.includes('Phone number, one of several'),
      ).length === 2,
  )
  await rehearsed(page)
  await until(
    'the rows of all add up',
    async () => (await groups(page)) === 'All rows5,New4,Duplicate in the file1,Blank or header2',
  )
  await until('each row says where it is from', async () => {
    const text = (await cells(tab)).join('|')
    return ['2 · shop.csv', '2 · fair.tsv', ' · cards.vcf'].every((place) => text.includes(place))
  })
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: 'Imported 4 contacts into “Spring”' }).waitFor()
  await soon(async () =>
    assert.deepEqual(await people(), [
      '+447700900001,Ada,',
      '+447700900002,Bo,',
      '+447700900003,,York',
      '+447700900004,Di,',
    ]),
  )
})

test('the sheets of a workbook can be chosen, and hidden ones are marked', async () => {
  const page = await openList(here, list)
  const { tab } = page
  await dropped(page, await fixture('libreoffice/people.xlsx'))
  const sheets = tab.getByRole('group', { name: 'Sheets to import' })
  const sheet = (name) => sheets.getByLabel(name, { exact: true })
  await soon(async () =>
    assert.deepEqual(
      (await sheets.locator('label').allTextContents()).map((text) => text.trim()),
      ['Customers', 'Old (hidden)', 'Notes'],
    ),
  )
  await until('the last one cannot be left out', () => sheet('Customers').isDisabled())
  const shows = (text) =>
    until(`“${text}” is shown`, async () => (await page.text('main table')).includes(text), 20_000)
  await shows('Zoë')
  await sheet('Notes').click()
  await until('each is a file of its own', async () => (await names(page)).length === 2)
  await sheet('Old (hidden)').click()
  await soon(async () =>
    assert.deepEqual(await names(page), ['people.xlsx, Customers', 'people.xlsx, Old', 'people.xlsx, Notes']),
  )
  await tab.getByRole('button', { name: /^people\.xlsx, Notes/ }).click()
  await shows('nothing to see')
  await tab.getByRole('button', { name: /^people\.xlsx, Old/ }).click()
  await shows('nobody reads this')
  await seeAccessible(page, 'the sheets of a workbook')
  await tab.getByRole('button', { name: 'Remove people.xlsx, Notes from the import' }).click()
  await until('it is gone', async () => (await names(page)).length === 2)
  await sheet('Old (hidden)').click()
  await until('one is left', async () => (await names(page)).length === 1)
  await shows('Zoë')
  await mapped(page)
  await rehearsed(page)
  await until(
    'its four people are new',
    async () => (await groups(page)) === 'All rows4,New4,Blank or header1',
  )
  const ledger = tab.getByTestId('import-ledger')
  await ledger.locator('summary').click()
  await until('both sheets are shown', async () => {
    const text = await ledger.innerText()
    return (
      ['Old', 'Notes'].every((name) => text.includes(`Sheet “${name}”`)) && text.includes('You left it out.')
    )
  })
  await seeAccessible(page, 'the account of an import')
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: 'Imported 4 contacts into “Spring”' }).waitFor()
  await soon(async () =>
    assert.deepEqual(await people(), [
      '+447700900001,Ada,York',
      '+447700900002,Zoë,Bath',
      '+447700900003,Łukasz,Hull',
      '+447700900004,José,',
    ]),
  )
})

test('existing contacts follow the rule of each field; a number with several contacts is skipped', async () => {
  const contacts = [
    { phone_number: '+447700900001', firstname: 'Ada', city: 'York' },
    { phone_number: '+447700900002', firstname: 'Bo' },
    { phone_number: '+447700900003', firstname: 'Cy' },
    { phone_number: '+447700900003', firstname: 'Eve' },
  ]
  await call('contact_paste', { list, contacts, region: null })
  const former = await people()
  const page = await openList(here, list)
  const { tab } = page
  const text =
    'Phone,First name,City\n07700900001,Adele,Leeds\n07700900002,,Bath\n07700900003,Sy,Hull\n07700900004,Di,Hull\n'
  await dropped(page, { name: 'customers.csv', text })
  await mapped(page)
  await tab.getByLabel('Existing values').selectOption({ label: 'Overwrite' })
  await rehearsed(page)
  const groupsAre = (wanted) => until(`it is ${wanted}`, async () => (await groups(page)) === wanted)
  await groupsAre('All rows4,New1,Changed2,Duplicate in the list1,Blank or header1')
  await showGroup(page, 'Duplicate in the list')
  await until('it says how many', async () => (await cells(tab)).includes('2 contacts have this number'))
  await showGroup(page, 'Changed')
  const changesAre = (...changes) =>
    until(`${changes} are shown`, async () => {
      const shown = (await cells(tab)).join('|')
      return changes.every((change) => shown.includes(change))
    })
  await changesAre('First name: Ada → Adele and City: York → Leeds', 'City: blank → Bath')
  await seeAccessible(page, 'what changes, by field')
  // The button of a field shows only its rows, and its rule.
  await tab.getByRole('button', { name: /^First name/ }).click()
  await until('one row changes it', async () => !(await cells(tab)).join('|').includes('blank → Bath'))
  await tab.getByLabel('Rule for First name').selectOption({ label: 'Never overwrite' })
  await until('no row changes it', () =>
    tab.getByRole('button', { name: /^First name/ }).evaluate((one) => one.textContent.includes('0')),
  )
  await tab.getByLabel('Rule for City').selectOption({ label: 'Fill blank values only' })
  await groupsAre('All rows4,New1,Changed1,List’s values kept1,Duplicate in the list1,Blank or header1')
  await showGroup(page, 'Changed')
  await changesAre('City: blank → Bath')
  await soon(async () => assert.deepEqual(await people(), former))
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: 'Imported 2 contacts into “Spring”' }).waitFor()
  await soon(async () =>
    assert.deepEqual(await people(), [
      '+447700900001,Ada,York',
      '+447700900002,Bo,Bath',
      '+447700900003,Cy,',
      '+447700900003,Eve,',
      '+447700900004,Di,Hull',
    ]),
  )

  // Matching the same file by WhatsApp number, which no contact has, requires a choice.
  await tab.evaluate((hash) => (location.hash = hash), `#/lists/${list}`)
  await tab.locator('main [role=grid]').waitFor()
  await dropped(page, { name: 'again.csv', text: text.replace('Phone', 'Number') })
  await mapped(page)
  await goesInto(page, 0).selectOption('whatsapp_id')
  await tab.getByLabel('Match contacts by').selectOption({ label: 'WhatsApp number' })
  await rehearsed(page)
  await groupsAre('All rows4,New4,Blank or header1')
  await at(page, 'rehearsal')
})
