// Senders of an account that has a service, in Chromium: the service takes no request for one, and nothing pretends it does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { pairForEach } from '../support/pair.mjs'
import { connect } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')

test('a sender is requested at the service, and nothing here pretends to review it', async () => {
  await pair.call('sender_request', { name: 'Before' })
  await connect(pair.call, pair.service)
  const page = await pair.open()
  const { tab } = page
  await page.run('location.hash = "#/senders"')
  await tab.getByRole('rowheader', { name: 'Before' }).waitFor()
  assert.doesNotMatch(await page.text('main'), /you play that part/)
  await tab.getByRole('button', { name: 'Actions for “Before”' }).click()
  await tab.getByRole('menuitem', { name: 'Delete…' }).waitFor()
  assert.equal(await tab.getByRole('menuitem', { name: 'Approve' }).count(), 0)
  await tab.keyboard.press('Escape')
  await tab.getByRole('button', { name: 'Request sender' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Request senders at the service' })
  await dialog.getByText(/The service does not accept requests for senders from Roost/).waitFor()
  assert.equal(await dialog.getByRole('textbox').count(), 0)
  await seeAccessible(page, 'a sender that is requested elsewhere')
  await dialog.getByText('Close').click()
  await dialog.waitFor({ state: 'detached' })
})
