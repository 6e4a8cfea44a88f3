// Custom fields that a pull brings, in Chromium: the service knows only their numbers, and the user names them once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { keeps } from '../support/commands.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, listThere, pull } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')

test('fields that came without names are asked about once, and named everywhere', async () => {
  const list = await listThere(pair.service, 'Newsletter', [
    { phone_number: '+447700900001', field_1: 'Gold', field_2: 'Leeds store' },
    { phone_number: '+447700900002', field_1: 'Silver' },
  ])
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const page = await pair.open({
    viewport: { width: 1900, height: 900 },
  })
  const { tab } = page
  await page.run('location.hash = "#/sync/changes"')
  // The third field is empty, so nobody could say what it is.
  await tab.getByText('2 custom fields came without names').waitFor()
  await tab.getByRole('button', { name: 'Name the fields…' }).click()
  const dialog = tab.locator('dialog[open]')
  await dialog.getByText(/^Values such as (Gold · Silver|Silver · Gold)$/).waitFor()
  await seeAccessible(page, 'the names of fields')
  await dialog.getByLabel('Field 1').fill('Tier')
  const kept = keeps(tab, 'sync.fields_asked')
  await dialog.getByRole('button', { name: 'Save names' }).click()
  await kept
  await until(
    'they are asked about no more',
    async () => !(await page.text('main')).includes('without names'),
  )
  await page.run('location.hash = arguments[0]', `#/lists/${list}`)
  await tab.getByRole('columnheader', { name: 'Tier' }).waitFor()
  await tab.reload()
  await page.run('location.hash = "#/sync/changes"')
  await tab.getByRole('heading', { name: 'No changes to send' }).waitFor()
  await page.rest()
  await soon(async () => assert.doesNotMatch(await page.text('main'), /without names/))
})
