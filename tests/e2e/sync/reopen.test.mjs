// Resolved conflicts can be reopened, in Chromium: from the toast of one answer, of a group, and of a rule.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, contactsThere, listThere, pull, upload } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')

const NAMES = ['Ada', 'Grace']
const number = (name) => `+44770090000${NAMES.indexOf(name)}`

/** Gives both contacts a different city on each side. */
async function disputed() {
  const rows = NAMES.map((firstname) => ({ phone_number: number(firstname), firstname, city: 'Leeds' }))
  const list = await listThere(pair.service, 'Newsletter', rows)
  await connect(pair.call, pair.service)
  await pull(pair.call)
  for (const { uid } of await contactsThere(pair.service, list))
    await pair.call('contact_update', { uid, fields: { city: 'York' }, region: null })
  await upload(
    pair.service,
    list,
    NAMES.map((name) => ({ phone_number: number(name), city: 'Hull' })),
  )
  await pull(pair.call)
}

test('the toast undoes an answer, also one for all similar conflicts', async () => {
  await disputed()
  const page = await pair.open()
  const { tab } = page
  await page.run('location.hash = "#/sync/conflicts"')
  const left = (words) =>
    until(words, async () => (await page.text('[data-testid=conflicts-left]')) === words)
  const undo = () => tab.getByTestId('toast').getByRole('button', { name: 'Undo' })
  const here = async () =>
    (await pair.call('conflicts_page', { noun: null, field: null, from: 0, count: 9 })).rows
  await left('2 conflicts to resolve')
  const before = await here()

  await tab.keyboard.press('2')
  await left('1 conflict to resolve')
  // A toast under the pointer stays.
  await tab.getByTestId('toast').last().hover()
  await seeAccessible(page, 'settled, with a way back')
  await undo().click()
  await left('2 conflicts to resolve')
  await soon(async () => assert.deepEqual(await here(), before))
  await until(
    'it is shown',
    async () => (await page.text('[data-testid=announcement]')) === '1 conflict is open again.',
  )
  await undo().waitFor({ state: 'detached' })

  await tab.keyboard.press('Shift+Digit1')
  await tab.getByRole('dialog').getByRole('button', { name: 'Decide 2 records' }).click()
  await tab.getByRole('heading', { name: 'No conflicts' }).waitFor()
  await undo().click()
  await left('2 conflicts to resolve')
  await soon(async () => assert.deepEqual(await here(), before))
  assert.deepEqual(page.complaints, [])
})
