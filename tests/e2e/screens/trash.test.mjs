// The trash in Chromium: it restores records, and deletes them permanently only after their number was typed; by
// pointer and by keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

/** Creates and deletes lists, so that they are in the trash. */
async function open(names, options) {
  const { call } = here
  for (const name of names) {
    const { uid } = await call('list_create', { name })
    await call('list_delete', { uid, typed_name: name })
  }
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/trash"]').click()
  await until('the screen is there', async () => (await page.text('main h1')) === 'Trash')
  return page
}
const rows = (page) => page.count('main tbody tr')
const isEmpty = async (page) => (await page.texts('main h2')).includes('The trash is empty')

test('deleted records are restored by keys, and removed for good only after a typed number', async () => {
  const page = await open(['First', 'Second'])
  const { tab } = page
  await until('both are in the trash', async () => (await rows(page)) === 2)
  await seeAccessible(page, 'the full trash')
  await matchAria(page, 'trash/trash')
  await tab.locator('main tbody tr').first().focus()
  await tab.keyboard.press('Space')
  await tab.keyboard.press('r')
  await until('one is left', async () => (await rows(page)) === 1)
  await until('the list is back', async () => (await page.text('[data-testid=count-lists]')) === '1')
  await tab.getByRole('button', { name: 'Empty the trash…' }).click()
  const field = tab.locator('dialog input')
  await field.fill('7')
  await field.press('Enter')
  await until('another number is refused', async () =>
    (await page.texts('dialog [role=alert]')).join().includes('not the number'),
  )
  await seeAccessible(page, 'the refused number')
  await matchAria(page, 'trash/trash-purge-refused', 'dialog')
  await field.fill('1')
  await field.press('Enter')
  await until('nothing is left', () => isEmpty(page))
  await until('it is announced', async () =>
    (await page.texts('[data-testid=toast]')).join().includes('permanently'),
  )
  await seeAccessible(page, 'the empty trash')
})

test('a custom field that no contact had a value in leaves the trash too, in the dark', async () => {
  const { call } = here
  const { number } = await call('custom_field_add', { label: 'Loyalty card' })
  await call('custom_field_remove', { number, typed_label: 'Loyalty card' })
  const page = await open([], { colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await tab.getByLabel('Kind', { exact: true }).first().selectOption('sender')
  await until('no sender is in it', async () =>
    (await page.texts('main h2')).includes('No items of this kind in the trash'),
  )
  await tab.getByLabel('Kind', { exact: true }).first().selectOption('custom_field')
  await until('the field is in it', async () => (await rows(page)) === 1)
  await tab.locator('main tbody tr').first().focus()
  await tab.keyboard.press('Space')
  await tab.keyboard.press('Delete')
  await tab.locator('dialog input').fill('1')
  await seeAccessible(page, 'the last question')
  await tab.keyboard.press('Enter')
  await until('it is gone', async () => (await rows(page)) === 0)
})

test('what prevents restoring is named, and nothing is lost', async () => {
  const { call } = here
  const number = '+447700900100'
  const { asset } = await call('asset_add', { channel: 'SMS', number })
  await call('asset_remove', { id: asset.id, typed_number: number })
  await call('asset_add', { channel: 'SMS', number })
  const page = await open([])
  await until('the number is in the trash', async () => (await rows(page)) === 1)
  await page.tab.locator('main tbody tr').first().click()
  await page.tab.keyboard.press('r')
  await until('why not is shown', async () =>
    (await page.texts('[data-testid=toast]')).join().includes('another asset with this number'),
  )
  await soon(async () => assert.equal(await rows(page), 1))
})
