// A new user without instructions: from an empty account to a list with ten pasted contacts, two opt-outs and a short
// link with its QR code, guided only by visible words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach } from './support/console.mjs'
import { until } from './support/places.mjs'

const here = consoleForEach()

/** As a spreadsheet puts it on the clipboard. */
const ROWS = [
  'Name\tMobile\tCity',
  ...Array.from({ length: 10 }, (_, n) => `Contact ${n}\t07700 90010${n}\tLeeds`),
].join('\n')

test('from nothing to a list, two opt-outs and a short link with its QR code, by visible words alone', async () => {
  const { tab, complaints } = await here.open()
  const main = tab.getByRole('main')
  const dialog = tab.getByRole('dialog')
  const button = (name, within = main) => within.getByRole('button', { name, exact: true })
  const counted = (section) =>
    tab.getByRole('navigation').getByRole('link', { name: new RegExp(`^${section}`) })

  await tab.getByRole('heading', { name: 'Get started' }).waitFor()
  await button('New list…').click()
  await dialog.getByLabel('Name', { exact: true }).fill('Spring offers')
  await button('Create list', dialog).click()
  await button('Open', tab.getByRole('complementary')).click()

  await main.getByRole('heading', { name: 'No contacts yet' }).waitFor()
  await button('Paste contacts…').first().click()
  await dialog.getByLabel('Rows', { exact: true }).fill(ROWS)
  await button('Add 10 contacts', dialog).click()
  const rows = main.getByRole('row').filter({ has: tab.getByRole('rowheader') })
  await until('all ten are there', async () => (await rows.count()) === 10)

  await rows.nth(0).getByRole('rowheader').click()
  await rows
    .nth(1)
    .getByRole('rowheader')
    .click({ modifiers: ['Control'] })
  await button('Actions').click()
  await tab.getByRole('menuitem', { name: 'Opt out the selected contacts…' }).click()
  await button('Opt out', dialog).click()
  await dialog.getByText('Enter a reason, so that you can prove the opt-out later.').waitFor()
  await dialog.getByLabel('Reason').fill('Asked on the phone')
  await button('Opt out', dialog).click()
  await until('both rows say so', async () => (await rows.filter({ hasText: '⊘' }).count()) === 2)
  await until('both channels of both are counted', async () =>
    (await counted('Opt-outs').textContent()).trim().endsWith('4'),
  )

  await counted('Short links').click()
  await main.getByRole('heading', { name: 'No short links yet' }).waitFor()
  await button('New short link').first().click()
  await dialog.getByLabel('Title', { exact: true }).fill('Spring catalogue')
  await dialog.getByLabel('Target').fill('shop.example/spring')
  await button('Create short link', dialog).click()
  await button('QR code', tab.getByRole('complementary')).click()
  const code = dialog.getByRole('img', { name: /^QR code that leads to / })
  await code.waitFor()
  const saved = tab.waitForEvent('download')
  await button('Save as SVG', dialog).click()
  assert.match((await saved).suggestedFilename(), /\.svg$/)
  assert.deepEqual(complaints, [])
})
