// Drafts are neither sent nor exported, in Chromium: the changes, the plan and the export say so, and link to them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { openView } from '../support/commands.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, listThere, pull } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')
const { call } = pair

/** Types an invalid phone number into the first row of a list. */
async function draft(list) {
  const { view } = await openView(call, list)
  const cells = [{ row: 0, field: 'phone_number', text: '12' }]
  await call('grid_edit', { view, generation: null, cells, region: null })
  await call('grid_close', { view })
}

test('a draft is mentioned where its last valid value is used', async () => {
  const list = await listThere(pair.service, 'Newsletter', [
    { phone_number: '+447700900001', firstname: 'Ann' },
    { phone_number: '+447700900002', firstname: 'Bob' },
  ])
  await connect(call, pair.service)
  await pull(call)
  await draft(list)
  const page = await pair.open()
  const { tab } = page
  await page.run('location.hash = "#/sync/changes"')
  await tab.getByRole('heading', { name: 'No changes to send' }).waitFor()
  const drafts = tab.getByTestId('drafts')
  await drafts.getByText('1 contact has a draft that is not sent').waitFor()
  await seeAccessible(page, 'changes with a draft')
  await call('plan_make')
  await page.run('location.hash = "#/sync/plan"')
  await tab.getByTestId('plan').getByText('1 contact has a draft that is not sent').waitFor()
  await seeAccessible(page, 'a plan with a draft')
  await drafts.getByRole('link', { name: '1 in “Newsletter”' }).click()
  await until(
    'the draft alone is shown',
    async () => (await page.count('main [role=gridcell][aria-invalid=true]')) === 1,
  )
  await tab.keyboard.press('Control+Shift+p')
  await tab.keyboard.type('Export all contacts')
  await tab.keyboard.press('Enter')
  const exports = tab.getByTestId('export-drafts')
  await exports.getByText('1 of these contacts has a draft (an invalid value).').waitFor()
  await seeAccessible(page, 'an export without a draft')
  await exports.getByRole('link', { name: 'Show drafts in “Newsletter”' }).click()
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0)
  await soon(async () => assert.deepEqual(page.complaints, []))
})
