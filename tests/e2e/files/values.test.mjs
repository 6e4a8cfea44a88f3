// What an import makes of unusual values: an invalid e-mail address, control characters, and a single row.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { consoleForEach } from '../support/console.mjs'
import { cell } from '../support/grid.mjs'
import { at, dropped, mapped, openList, rehearsed, showGroup } from '../support/imports.mjs'
import { soon } from '../support/places.mjs'

const WIDE = { viewport: { width: 1800, height: 900 } }
const here = consoleForEach()
const { call } = here
let list

beforeEach(async () => {
  await call('account_set_country', { country: 'GB' })
  list = (await call('list_create', { name: 'Guests' })).uid
})

async function accept(page) {
  await page.tab.getByRole('button', { name: 'Next: import' }).click()
  await at(page, 'accept')
  await page.tab.getByRole('button', { name: /^Import \d+ contacts?$/ }).click()
  await page.tab.getByRole('button', { name: 'Open the list' }).click()
  await page.tab.locator('main [role=grid]').waitFor()
}

test('an invalid e-mail address is named before the import and waits in its cell afterwards', async () => {
  const page = await openList(here, list, WIDE)
  const { tab } = page
  const text = 'Phone,First name,E-mail\n07700900001,Ada,ada@@example\n07700900002,Bo,bo@example.com\n'
  await dropped(page, { name: 'guests.csv', text })
  await mapped(page)
  await rehearsed(page)
  await showGroup(page, 'New')
  await soon(async () => assert.match(await page.text('main [role=grid]'), /E-mail: kept as a draft to fix/))
  assert.match(
    await tab.getByTestId('import-ledger').locator('summary').innerText(),
    /1 e-mail address is not valid and is kept as a draft/,
  )
  await accept(page)
  const email = await cell(page, 'Ada', 'E-mail')
  await soon(async () => assert.match(await email.textContent(), /ada@@example/))
  assert.equal(await email.getAttribute('aria-invalid'), 'true')
  assert.equal(await (await cell(page, 'Bo', 'E-mail')).getAttribute('aria-invalid'), null)
  await page.press('Control+z')
  await tab.getByText('No contacts yet').waitFor()
})

test('one row is counted as one, and its control characters can be seen', async () => {
  const page = await openList(here, list, WIDE)
  const { tab } = page
  await dropped(page, { name: 'guests.csv', text: 'Phone,First name\n07700900001,A\u0007da\n' })
  const texts = []
  const read = async () => texts.push(await tab.locator('main').innerText())
  await read()
  await mapped(page)
  await read()
  await rehearsed(page)
  await soon(async () => assert.match(await page.text('main [role=grid]'), /A\[U\+0007\]da/))
  await read()
  await accept(page)
  await read()
  await soon(async () =>
    assert.match(await (await cell(page, '900001', 'First name')).textContent(), /U\+0007/),
  )
  for (const text of texts) assert.doesNotMatch(text, /\b1 (?:rows|lines|contacts|values|numbers|columns)\b/)
})
