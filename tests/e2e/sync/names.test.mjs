// Custom fields that a pull brings, in Chromium: the service knows only their numbers, and the user names them once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { addFields, keeps } from '../support/commands.mjs'
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

/** A list with a membership in the fourth field there, and one with a date of joining in it here. */
async function clash() {
  await pair.service.call('custom_field_add', { label: 'Membership' })
  await listThere(pair.service, 'Newsletter', [
    { phone_number: '+447700900001', field_4: 'Gold' },
    { phone_number: '+447700900002', field_4: 'Basic' },
  ])
  await addFields(pair.call)
  await pair.call('custom_field_add', { label: 'Joined' })
  const { uid } = await pair.call('list_create', { name: 'Here' })
  const contacts = [{ phone_number: '+447700900003', field_4: '18/02/2025' }]
  await pair.call('contact_paste', { list: uid, contacts, region: null })
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const page = await pair.open()
  await page.run('location.hash = "#/sync/changes"')
  await page.tab
    .getByText(
      /^Field 4 is named “Joined” here, but the service has different values in it \((Gold and Basic|Basic and Gold)\)\. Is it the same field\?$/,
    )
    .waitFor()
  return page
}
const labels = async () => (await pair.call('custom_field_all', {})).fields.slice(3).map(({ label }) => label)

test('a field of the same number is asked about, moves to a free number, and undo asks again', async () => {
  const page = await clash()
  const { tab } = page
  await seeAccessible(page, 'the question about a field')
  await until('the values are marked', async () => /held back: same field\?/.test(await page.text('main')))
  await page.run('location.hash = "#/sync/plan"')
  await tab.getByRole('heading', { name: /a field that may be a different one at the service/ }).waitFor()
  await tab.getByRole('button', { name: 'Move mine to field 5' }).click()
  await tab.getByTestId('toast').getByText('Moved “Joined” to field 5.').waitFor()
  assert.deepEqual(await labels(), ['Field 4', 'Joined'])
  await tab.getByTestId('toast').getByRole('button', { name: 'Undo' }).last().click()
  await until('the field is back in its place', async () => (await labels()).join() === 'Joined')
  await tab.getByRole('button', { name: 'Same field' }).waitFor()
})

test('a field is marked as the same only once', async () => {
  const page = await clash()
  const { tab } = page
  await tab.getByRole('button', { name: 'Same field' }).click()
  await tab.getByTestId('toast').getByText('“Joined” is field 4 at the service.').waitFor()
  await tab.getByText('Is it the same field?').waitFor({ state: 'detached' })
  await pull(pair.call)
  assert.deepEqual((await pair.call('field_clash_all', {})).clashes, [])
})
