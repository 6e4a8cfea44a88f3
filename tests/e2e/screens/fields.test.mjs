// The custom fields in Chromium: defined, reordered, removed by typing their label, and restored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { addFields } from '../support/commands.mjs'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { post } = asksOf(here)

async function open(options) {
  await addFields(here.call)
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/fields"]').click()
  await until('the fields are there', async () => (await labels(page)).length === 3)
  return page
}

const labels = (page) => page.texts('main tbody th')

async function add(page, label) {
  await page.tab.keyboard.press('Alt+n')
  await page.tab.getByLabel('Label').fill(label)
  await page.tab.keyboard.press('Enter')
  await until('it is there', async () => (await labels(page)).includes(label))
}

test('a field is defined, renamed, removed by its label, and comes back by undo', async () => {
  const page = await open()
  const { tab } = page
  await add(page, 'Shop')
  await tab.locator('main tbody tr', { hasText: 'Shop' }).focus()
  await tab.keyboard.press('F2')
  await tab.getByLabel('Label').fill('Branch')
  await tab.getByRole('button', { name: 'Rename', exact: true }).click()
  await until('it is renamed', async () => (await labels(page)).at(-1) === 'Branch')
  await tab.locator('main tbody tr', { hasText: 'Branch' }).focus()
  await tab.keyboard.press('Delete')
  await tab.getByLabel('Type “Branch” to confirm').fill('Branch')
  await tab.getByRole('button', { name: 'Remove field' }).click()
  await until('it is gone', async () => (await labels(page)).length === 3)
  await tab.getByTestId('toast').last().getByRole('button', { name: 'Undo' }).click()
  await until('it is back', async () => (await labels(page)).includes('Branch'))
})

test('a label is asked for, and a long one refused', async () => {
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Alt+n')
  await tab.getByRole('button', { name: 'Add field' }).click()
  const fault = () => page.text('dialog [role=alert]')
  await until('a missing label is shown', async () => (await fault()) === 'Give the field a label.')
  await tab.getByLabel('Label').fill('é'.repeat(101))
  await until('a long one, too', async () => (await fault()) === 'Shorten the label by 1 character.')
  await seeAccessible(page, 'a fault at its field')
})

test('the order is changed by keys, announced, and saved', async () => {
  const page = await open()
  const { tab } = page
  await add(page, 'Shop')
  await tab.locator('main tbody tr', { hasText: 'Shop' }).focus()
  await tab.keyboard.press('Alt+ArrowUp')
  await until('it is one higher', async () => (await labels(page)).at(-2) === 'Shop')
  await until(
    'it is announced',
    async () => (await page.text('[data-testid=announcement]')) === 'Shop is now at position 3 of 4.',
  )
  await until('the focus went along', () =>
    page.run("return document.activeElement?.textContent.includes('Shop')"),
  )
  await tab.reload()
  await until('it is kept', async () => (await labels(page)).at(-2) === 'Shop')
})

/** Creates a list with a contact that has a value in the field with this number. */
async function filled(number) {
  const { call } = here
  await addFields(call)
  const { uid } = await call('list_create', { name: 'Newsletter' })
  const contacts = [{ phone_number: '+447700900001', [`field_${number}`]: 'Leeds' }]
  await call('contact_paste', { list: uid, contacts, region: null })
  return call
}

test('the fields read well, light and dark, and removing says what would be lost', async () => {
  await filled(2)
  for (const colorScheme of ['light', 'dark']) {
    const page = await open({ colorScheme })
    const { tab } = page
    const row = tab.locator('main tbody tr', { hasText: 'Field 2' })
    await until('its uses are counted', async () => (await row.textContent()).match(/1\s*$/) !== null)
    await seeAccessible(page, `the fields, ${colorScheme}`)
    await row.focus()
    await tab.keyboard.press('Delete')
    await until('it says what would be lost', async () => (await page.text('dialog'))?.includes('1 contact'))
    await seeAccessible(page, `the dialog of removing, ${colorScheme}`)
    if (colorScheme === 'light') {
      await matchAria(page, 'fields/table')
      await matchAria(page, 'fields/remove', 'dialog')
    }
    await page.close()
  }
})

test('a new field that the interface filled cannot be undone, and the message says what to do', async () => {
  const page = await open()
  const { tab } = page
  await add(page, 'Shop')
  const rest = async (path, body) => {
    const answer = await post(path, body)
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`)
    return answer.json()
  }
  await rest('/contacts/v1/lists/create', { name: 'Of a program' })
  const { call } = here
  const { items } = await call('list_page', {
    page_number: 1,
    page_size: 1,
    sort_by: 'name',
    sort_order: 'ASC',
    name: null,
  })
  await rest('/contacts/v1/contacts', {
    list_id: items[0].uid,
    merge_type: 'allowDuplicates',
    contacts: [{ phone_number: '+447700900002', field_4: 'Leeds' }],
  })
  const row = tab.locator('main tbody tr', { hasText: 'Shop' })
  await until('its use is shown', async () => (await row.textContent()).match(/1\s*$/) !== null)
  await tab.keyboard.press('Control+z')
  await until('it says what to do instead', async () =>
    (await page.texts('[data-testid=toast]')).some((text) => text.includes('Remove the field instead')),
  )
  await soon(async () => assert.ok((await labels(page)).includes('Shop')))
})
