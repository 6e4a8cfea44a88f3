// Contacts that go to another list, in Chromium: conflicts there are shown before they are moved, copied or merged; and
// deleting very many requires typing their number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at } from '../support/grid.mjs'
import { openAt } from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const desk = consoleForEach()
const { call } = desk

const number = (n) => `+4477009${String(n).padStart(5, '0')}`

async function listOf(name, numbers) {
  const { uid } = await call('list_create', { name })
  const contacts = numbers.map((n) => ({ phone_number: number(n) }))
  if (contacts.length > 0) await call('contact_paste', { list: uid, contacts, region: null })
  return uid
}

const readPreview = (page) => page.text('dialog section.clashes')

async function seeded() {
  const here = await listOf('Spring', [1, 2, 3, 3])
  const there = await listOf('Summer', [2, 5])
  // The same WhatsApp number with different phone numbers.
  for (const [list, phone] of [
    [here, 4],
    [there, 6],
  ]) {
    const contacts = [{ phone_number: number(phone), whatsapp_id: number(7) }]
    await call('contact_paste', { list, contacts, region: null })
  }
  const entries = [{ number: number(1), channels: ['SMS'], asset: null }]
  await call('opt_out_add', { entries, reason: 'asked', region: null })
  return { here, there }
}

test('moving and copying say what the contacts meet before they go', async () => {
  const { here, there } = await seeded()
  const page = await at(desk, here)
  const { tab } = page
  await tab.getByRole('grid').focus()
  await tab.keyboard.press('Control+Shift+a')
  await tab.locator('main [role=gridcell]').first().click({ button: 'right' })
  await tab.getByRole('menuitem', { name: 'Move or copy to another list…' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Target list').fill('Summer')
  await dialog.getByRole('option', { name: 'Summer' }).click()
  await until('it is counted', async () =>
    (await readPreview(page))?.includes('Afterwards, the list has 6 contacts.'),
  )
  const text = await readPreview(page)
  for (const line of [
    '3 contacts are added.',
    '2 contacts have a phone or WhatsApp number that is already in the list.',
    '2 contacts are skipped, because their phone numbers are already in the list or appear twice.',
    '1 contact is opted out of a channel and stays opted out.',
  ])
    assert.ok(text.includes(line), `${line} in ${text}`)
  await seeAccessible(page, 'a move with what it meets')
  await dialog.getByRole('radio', { name: 'Add it again' }).check()
  await until('all are added', async () =>
    (await readPreview(page))?.includes('Afterwards, the list has 8 contacts.'),
  )
  await dialog.getByRole('radio', { name: 'Copy' }).check()
  await dialog.getByRole('button', { name: 'Copy contacts' }).click()
  await soon(async () => assert.equal((await call('list_get', { uid: there })).contact_count, 8))
})

test('a move leaves one row selected, and not those that move up', async () => {
  const list = await listOf('Autumn', [11, 12, 13, 14, 15])
  await listOf('Winter', [])
  const page = await at(desk, list)
  const { tab } = page
  const selected = async () => (await page.text('[data-testid=selection]')) ?? ''
  await tab.getByRole('grid').focus()
  for (const keys of ['Control+Home', 'Shift+Space', 'Shift+ArrowDown']) await tab.keyboard.press(keys)
  await until('two rows are selected', async () => (await selected()).startsWith('2 rows'))
  await tab.locator('main [role=gridcell]').first().click({ button: 'right' })
  await tab.getByRole('menuitem', { name: 'Move or copy to another list…' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Target list').fill('Winter')
  await dialog.getByRole('option', { name: 'Winter' }).click()
  await dialog.getByRole('button', { name: 'Move contacts' }).click()
  await until('they are gone', async () => (await page.text('[data-testid=contact-count]')) === '3 contacts')
  await until('one row is selected', async () => !/rows/.test(await selected()))
})

test('merging says what the target has afterwards', async () => {
  const { here, there } = await seeded()
  const page = await openAt(desk, '#/lists')
  const { tab } = page
  await tab.locator('table[aria-label=Lists] tbody tr').first().waitFor()
  await tab.locator('table[aria-label=Lists] tbody tr').first().focus()
  await tab.keyboard.press('Control+a')
  await tab.locator('#panel').getByRole('button', { name: 'Merge…' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Target', { exact: true }).selectOption({ label: 'Summer' })
  await until('it is counted', async () =>
    (await readPreview(page))?.includes('Afterwards, the list has 6 contacts.'),
  )
  await dialog.getByLabel('Target', { exact: true }).selectOption({ label: 'A new list' })
  await until('a new list has each number once', async () =>
    (await readPreview(page))?.includes('The new list has 6 contacts.'),
  )
  await seeAccessible(page, 'a merge with what it meets')
  await dialog.getByLabel('Target', { exact: true }).selectOption({ label: 'Summer' })
  await dialog.getByRole('button', { name: 'Merge lists', exact: true }).click()
  await soon(async () => assert.equal((await call('list_get', { uid: there })).contact_count, 6))
  await soon(async () => assert.equal((await call('list_get', { uid: here })).contact_count, 5))
})

test('a thousand contacts are deleted only after their number was typed', async () => {
  const list = await listOf(
    'Everybody',
    Array.from({ length: 1_000 }, (_, n) => n),
  )
  const page = await at(desk, list)
  const { tab } = page
  await tab.getByRole('grid').focus()
  await tab.keyboard.press('Control+Shift+a')
  await tab.keyboard.press('Control+Backspace')
  const dialog = tab.getByRole('dialog')
  const act = dialog.getByRole('button', { name: 'Delete' })
  const field = dialog.getByLabel('Type the number of contacts, 1,000, to confirm')
  await field.waitFor()
  await soon(async () => assert.equal(await act.isDisabled(), true))
  await field.fill('999')
  await soon(async () => assert.equal(await act.isDisabled(), true))
  await seeAccessible(page, 'many contacts to delete')
  await field.fill('1000')
  await act.click()
  await soon(async () => assert.equal((await call('list_get', { uid: list })).contact_count, 0))
})
