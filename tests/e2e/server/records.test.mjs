// Records of a world in Chromium: found, changed without the rules, created, removed, undone, and turned into a
// fixture.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { operate } = asksOf(here)

const phone = (n) => `+447700900${String(n % 1000).padStart(3, '0')}`
const seed = (whole) => operate('PUT', '/seed', whole)
const state = async (path) => (await operate('GET', `/state/${path}`)).items

async function open(kind, options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/server"]').click()
  await page.tab.getByRole('tab', { name: 'Records' }).click()
  await page.tab.getByRole('combobox', { name: 'Kind of record' }).selectOption(kind)
  await until('its table is there', () => page.tab.url().endsWith(`/${kind}`))
  await page.rest()
  return page
}

const row = (page, text) => page.tab.locator('main tbody tr[data-key]', { hasText: text })
async function openRecord(page, text) {
  await until(`${text} is listed`, async () => (await row(page, text).count()) === 1)
  await row(page, text).focus()
  await page.tab.keyboard.press('Enter')
  await until('its fields are there', () => page.count('#panel form'))
}
const panel = (page) => page.tab.locator('#panel')
const lastEdit = (page, text) =>
  until(`“${text}” is the last edit`, async () =>
    (await page.text('[data-testid=last-edit]'))?.includes(text),
  )

test('a sender is verified past the rules, taken back by a key, and done again', async () => {
  await seed({ senders: [{ name: 'ShopNews' }, { name: 'ShopOrders', status: 'Verified' }] })
  const page = await open('senders')
  const { tab } = page
  await openRecord(page, 'ShopNews')
  await panel(page).getByLabel('status').selectOption('Verified')
  await until('the line says the same', async () =>
    (await page.text('#panel [data-testid=curl]')).includes('{"status":"Verified"}'),
  )
  await seeAccessible(page, 'a record that is changed')
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await lastEdit(page, 'changed “ShopNews”')
  const status = async () => (await state('senders')).find(({ name }) => name === 'ShopNews').status
  await soon(async () => assert.equal(await status(), 'Verified'))
  await row(page, 'ShopOrders').focus()
  await tab.keyboard.press('Control+z')
  await lastEdit(page, 'undone')
  await soon(async () => assert.equal(await status(), 'Pending'))
  await until(
    'the form has it',
    async () => (await panel(page).getByLabel('status').inputValue()) === 'Pending',
  )
  await row(page, 'ShopOrders').focus()
  await tab.keyboard.press('Control+Shift+Z')
  await lastEdit(page, 'changed “ShopNews”')
  await soon(async () => assert.equal(await status(), 'Verified'))
})

test('a keyword opt-out is made, refused at its field first, removed and brought back as it was', async () => {
  const id = `num_${'0'.repeat(26)}1`
  await seed({ assets: [{ id, channel: 'SMS', number: phone(1) }] })
  const page = await open('opt_outs', { colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await until('the empty table says what to do', async () =>
    (await page.texts('main h2')).includes('No records of this kind'),
  )
  await seeAccessible(page, 'no record, in the dark')
  await page.rest()
  await tab.keyboard.press('Alt+n')
  const dialog = tab.locator('dialog')
  await dialog.getByLabel('number', { exact: true }).fill(phone(2))
  await dialog.getByLabel('opt_out_type').selectOption('keyword')
  await dialog.getByLabel('asset_id').fill(id)
  await dialog.getByLabel('opt_out_time').fill('long ago')
  await dialog.getByRole('button', { name: 'Create record' }).click()
  await until('the fault is at its field', async () =>
    (await page.texts('dialog [role=alert]')).some((text) => text.includes('2026-01-05T09:00:00Z')),
  )
  await seeAccessible(page, 'a refused record')
  await dialog.getByLabel('opt_out_time').fill('2020-02-02T02:02:02Z')
  await dialog.getByRole('button', { name: 'Create record' }).click()
  await until('it is open', () => page.count('#panel form'))
  const [made] = await state('opt_outs')
  assert.equal(made.opt_out_time, '2020-02-02T02:02:02Z')
  await panel(page).getByRole('button', { name: 'Remove…' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await lastEdit(page, 'Last edit: removed')
  await soon(async () => assert.equal((await state('opt_outs')).length, 0))
  await tab.getByRole('button', { name: 'Undo edit' }).click()
  await lastEdit(page, 'Last edit: created')
  await soon(async () => assert.deepEqual(await state('opt_outs'), [made]))
})

test('what somebody else changed meanwhile is overwritten neither by saving nor by undoing', async () => {
  await seed({ lists: [{ name: 'Newsletter' }] })
  const [{ uid }] = await state('lists')
  const page = await open('lists')
  const { tab } = page
  await openRecord(page, 'Newsletter')
  const name = panel(page).getByLabel('name', { exact: true })
  await name.fill('Mine')
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await lastEdit(page, 'Last edit: changed')
  await until('it is saved', async () => (await state('lists'))[0].name === 'Mine')
  await page.rest()
  await name.fill('Mine again')
  await operate('PATCH', `/state/lists/${uid}`, { name: 'Theirs' })
  const warning = panel(page).getByText('The record has changed in the meantime')
  const save = panel(page).getByRole('button', { name: 'Save' })
  if ((await warning.count()) === 0) await save.click()
  await until('it is shown', () => warning.count())
  assert.equal((await state('lists'))[0].name, 'Theirs')
  await panel(page).getByRole('button', { name: 'Reload' }).click()
  await until('theirs is shown', async () => (await name.inputValue()) === 'Theirs')
  await tab.getByRole('button', { name: 'Undo edit' }).click()
  await until('why not is shown', async () =>
    (await page.texts('main')).some((text) => text.includes('changed since')),
  )
  assert.equal((await state('lists'))[0].name, 'Theirs')
  await seeAccessible(page, 'an edit that cannot be undone')
  await tab.getByRole('button', { name: 'Skip edit' }).click()
  await until('it is passed over', async () => (await page.count('[data-testid=last-edit]')) === 0)
})

test('thousands of contacts are one table; one is found and changed as JSON', async () => {
  const contacts = Array.from({ length: 2_500 }, (_, n) => ({
    phone_number: phone(n),
    firstname: `Guest ${n}`,
  }))
  await seed({ lists: [{ name: 'Guests', contacts }] })
  const page = await open('contacts')
  const { tab } = page
  await until('all are counted', async () => (await page.text('main .foot'))?.includes('2,500 records'))
  await until('few are drawn', async () => (await page.count('main tbody tr')) < 300)
  await tab.locator('main tbody tr[data-key]').first().focus()
  await tab.keyboard.press('End')
  await until('the last one has the focus', () =>
    tab.evaluate(() => document.activeElement?.getAttribute('aria-rowindex') === '2501'),
  )
  await tab.getByRole('searchbox', { name: 'Name, number or ID' }).fill('guest 1234')
  await openRecord(page, 'Guest 1234')
  await panel(page).getByLabel('As JSON').check()
  const json = panel(page).getByLabel('The record as JSON')
  const record = JSON.parse(await json.inputValue())
  await json.fill('{"firstname"')
  await until('it is shown that this is none', async () =>
    (await page.texts('#panel [role=alert]')).includes('This is not a valid JSON object.'),
  )
  const { firstname: _, ...rest } = record
  await json.fill(JSON.stringify({ ...rest, title: 'Dr', created_at: '2001-01-01 00:00:00' }))
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await lastEdit(page, 'Last edit: changed')
  const stored = await operate('GET', `/state/contacts/${record.uid}`)
  assert.deepEqual(stored, { ...rest, title: 'Dr', created_at: '2001-01-01 00:00:00' })
})

test('a list becomes a fixture that makes it again', async () => {
  const contacts = Array.from({ length: 5 }, (_, n) => ({ phone_number: phone(n), field_1: `no. ${n}` }))
  await seed({ custom_fields: ['Table'], lists: [{ name: 'Guests', contacts }] })
  const page = await open('lists')
  const { tab } = page
  await openRecord(page, 'Guests')
  await panel(page).getByRole('button', { name: 'Create fixture…' }).click()
  const dialog = tab.locator('dialog')
  const fixture = tab.getByTestId('fixture')
  await until('it is YAML', async () => (await fixture.textContent()).startsWith('custom_fields:\n- '))
  await seeAccessible(page, 'a fixture')
  await dialog.getByLabel('Format', { exact: true }).selectOption('json')
  await until('it is JSON', async () => (await fixture.textContent()).startsWith('{'))
  const whole = JSON.parse(await fixture.textContent())
  await dialog.getByLabel('Maximum number of contacts').fill('2')
  await until(
    'it is short',
    async () => JSON.parse(await fixture.textContent()).lists[0].contacts.length === 2,
  )
  const coming = tab.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save as a file…' }).click()
  assert.equal((await coming).suggestedFilename(), 'lists.json')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const those = [await state('lists'), await state('contacts'), await state('custom_fields')]
  await seed(whole)
  assert.deepEqual([await state('lists'), await state('contacts'), await state('custom_fields')], those)
})
