// Markup in every field of every record is shown as the text that it is, on every screen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksOf, consoleForEach } from './support/console.mjs'
import { drop } from './support/files.mjs'
import { alerts, at, mapped, openList, rehearsed } from './support/imports.mjs'
import { soon, until } from './support/places.mjs'
import { goTo, newestContact, PLACES } from './support/journeys.mjs'

const here = consoleForEach()
const { post } = asksOf(here)

/** Short enough for the shortest field. */
const MARKUP = '<b data-evil>x'
/** Runs in a page that takes it for an element. */
const SCRIPT = '<img src=x data-evil onerror="window.ranEvil=1">'
const ATTRIBUTES = [
  'title',
  'firstname',
  'lastname',
  'date_of_birth',
  'address_1',
  'address_2',
  'city',
  'zip',
  'state',
  'country',
  'company_name',
]

/** Creates a record of every kind with markup wherever it takes a text. Returns the list and its contact. */
async function fill() {
  const { call } = here
  await call('account_rename', { name: `${MARKUP} account` })
  const { number } = await call('custom_field_add', { label: `${MARKUP} field` })
  const { uid: list } = await call('list_create', { name: `${SCRIPT} list` })
  await call('list_note', { uid: list, note: `${SCRIPT} note` })
  const texts = Object.fromEntries(ATTRIBUTES.map((name) => [name, MARKUP]))
  const contact = { ...texts, phone_number: '+447700900001', [`field_${number}`]: SCRIPT }
  await call('contact_paste', { list, contacts: [contact], region: null })
  await call('opt_out_add', {
    entries: [{ number: '+447700900001', channels: ['SMS'], asset: null }],
    reason: `${SCRIPT} reason`,
    region: null,
  })
  const target = `https://shop.example/?q=${encodeURIComponent(SCRIPT)}`
  await call('short_link_create', {
    links: [{ title: `${SCRIPT} link`, target_url: target, tags: [], track_clicks: false }],
  })
  const { uid: removed } = await call('list_create', { name: `${SCRIPT} removed` })
  await call('list_delete', { uid: removed, typed_name: `${SCRIPT} removed` })
  return { list, contact: await newestContact(call, list) }
}

/** Another program sends markup: in a name, an identifier, a path and a query. */
async function send(list) {
  await post('/contacts/v1/lists/create', { name: `${SCRIPT} sent` })
  await post('/contacts/v1/contacts', {
    list_id: list,
    merge_type: 'allowDuplicates',
    correlation_id: SCRIPT,
    contacts: [{ phone_number: '+447700900002', firstname: MARKUP }],
  })
  await post(`/${encodeURIComponent(SCRIPT)}?q=${encodeURIComponent(SCRIPT)}`, {})
}

/** Returns what markup became in the page: elements, scripts that ran, and texts. */
const EVIL = `
  return {
    elements: document.querySelectorAll('[data-evil]').length,
    hasRun: window.ranEvil !== undefined,
    isShown: document.body.innerText.includes('data-evil'),
  }`

async function seeText(page, place) {
  const { elements, hasRun, isShown } = await page.run(EVIL)
  assert.deepEqual({ elements, hasRun }, { elements: 0, hasRun: false }, place)
  return isShown
}

test('markup in a record is a text on every screen', async () => {
  const { list, contact } = await fill()
  await send(list)
  const page = await here.open()
  await until('the frame is there', () => page.count('main h1'))
  const silent = []
  for (const place of PLACES(list, contact)) {
    await goTo(page, place)
    if (!(await seeText(page, place))) silent.push(place)
  }
  // The other screens show records only when the account is connected or several lists are searched.
  const records = /^(lists|fields|optouts|links|activity|trash|accounts|server)/
  assert.deepEqual(
    silent.filter((place) => records.test(place)),
    [],
  )
  await goTo(page, 'links')
  await page.tab.locator('main tbody tr').first().focus()
  await page.press('Space')
  await page.press('q')
  await page.tab.getByRole('img', { name: /QR code/ }).waitFor()
  assert.equal(await seeText(page, 'the QR code'), true)
  await page.press('Escape')
  await page.press('Control+k')
  await page.tab.keyboard.type('evil')
  await soon(async () => assert.equal(await seeText(page, 'the palette'), true))
  assert.deepEqual(page.complaints, [])
})

test('markup in a file is a text in every step of its import', async () => {
  const { list } = await fill()
  const page = await openList(here, list)
  const rows = [`Mobile,${MARKUP} heading`, `+447700900003,"${SCRIPT.replaceAll('"', '""')}"`, `${MARKUP},y`]
  const base64 = Buffer.from(rows.join('\r\n')).toString('base64')
  await drop(page.tab, 'main', [{ name: `${MARKUP}.csv`, base64 }])
  await at(page, 'source')
  await page.tab.locator('main table tbody tr').first().waitFor()
  assert.equal(await seeText(page, 'the file'), true)
  await mapped(page)
  assert.equal(await seeText(page, 'the columns'), true)
  await rehearsed(page)
  await seeText(page, `the rehearsal: ${await alerts(page)}`)
  await page.tab.getByRole('button', { name: 'Next: import' }).click()
  await at(page, 'accept')
  await page.tab.getByRole('button', { name: 'Import 1 contact' }).click()
  await page.tab.getByRole('heading', { name: /^Imported 1 contact/ }).waitFor()
  assert.equal(await seeText(page, 'the result'), true)
  await goTo(page, 'import/past')
  assert.equal(await seeText(page, 'the past imports'), true)
  assert.deepEqual(page.complaints, [])
})
