// The plan in Chromium: what would be sent to a second server, its gates, what the interface cannot express, and a plan
// that is out of date.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { deleteContacts } from '../support/commands.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, pull, push } from '../support/service.mjs'

const pair = pairForEach()
const { call } = pair
let list

beforeEach(async () => {
  list = (await call('list_create', { name: 'Spring' })).uid
  await people(list, 0, 12)
  await connect(call, pair.service)
  await pull(call)
})

const person = (n) => ({ phone_number: `+4477009001${String(n).padStart(2, '0')}`, firstname: `Guest ${n}` })
const people = (uid, from, to) =>
  call('contact_paste', {
    list: uid,
    contacts: Array.from({ length: to - from }, (_, at) => person(from + at)),
    region: null,
  })
const PAGE = { page_number: 1, page_size: 50 }
const contacts = async (uid) =>
  (await call('contact_page', { list: uid, ...PAGE, sort: null, filter: null, opted_out: null })).items
/** Returns how many contacts each list of the service has. */
const there = async () =>
  Object.fromEntries(
    (
      await pair.service.call('list_page', { ...PAGE, sort_by: 'name', sort_order: 'ASC', name: null })
    ).items.map((one) => [one.name, one.contact_count]),
  )

async function open(options) {
  const page = await pair.open(options)
  await page.tab.locator('main h1').waitFor()
  await page.tab.evaluate(() => (location.hash = '#/sync/plan'))
  await page.tab.getByTestId('plan').locator('h2').first().waitFor()
  return page
}
const headline = (page) => page.text('#plan-title')
const steps = (page) => page.texts('[data-testid=plan] tbody th[role=rowheader]')
const toasts = async (page) => (await page.texts('[data-testid=toast]')).join(' ')

test('a plan shows its steps and their requests, is sent behind its gates, and arrives', async () => {
  await push(call)
  await soon(async () => assert.deepEqual(await there(), { Spring: 12 }))
  const gone = (await contacts(list)).slice(0, 3)
  await deleteContacts(
    call,
    list,
    gone.map(({ uid }) => uid),
  )
  const { uid } = await call('list_create', { name: 'Summer' })
  await people(uid, 20, 25)
  const page = await open()
  const { tab } = page
  await until('the price', async () => /^\d+ requests would be sent/.test(await headline(page)))
  await soon(async () =>
    assert.deepEqual(await steps(page), [
      'Create the list “Summer”',
      'Add 5 contacts to “Summer”',
      'Delete 3 contacts of “Spring”',
    ]),
  )
  await seeAccessible(page, 'a plan')
  await matchAria(page, 'sync/plan/plan', '[data-testid=plan]')

  await tab.locator('tbody tr', { hasText: 'Add 5 contacts' }).focus()
  await tab.keyboard.press('Enter')
  const body = tab.locator('#panel pre')
  await body.waitFor()
  await soon(async () => assert.doesNotMatch(await body.textContent(), /\+4477009001\d\d/))
  await tab.locator('#panel').getByRole('switch', { name: 'Show full numbers' }).check()
  await until('the numbers are whole', async () => /\+447700900120/.test(await body.textContent()))
  await seeAccessible(page, 'a request')
  await tab.locator('tbody tr', { hasText: 'Add 5 contacts' }).focus()
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('c')
  await until('the copy is shown', async () => (await toasts(page)).includes('Copied'))
  await tab.keyboard.press('Escape')

  await tab.keyboard.press('Control+Enter')
  const dialog = tab.locator('dialog[open]')
  await dialog.waitFor()
  await soon(async () =>
    assert.match(await dialog.textContent(), /3 contacts of “Spring” are deleted at the service/),
  )
  await tab.keyboard.press('Enter')
  await until('what is missing is shown', async () =>
    (await dialog.textContent()).includes('Type exactly 3.'),
  )
  await soon(async () =>
    assert.match(await page.text('dialog[open] p'), /To the service Service Local address/),
  )
  await soon(async () =>
    assert.match(await page.text('[data-testid=plan-sum]'), /^\d+ changes?, 3 deletions$/),
  )
  await seeAccessible(page, 'the gates')
  await matchAria(page, 'sync/plan/gates', 'dialog[open]')
  await soon(async () => assert.deepEqual(await there(), { Spring: 12 }))
  await dialog.getByLabel('Type 3').fill('3')
  await tab.keyboard.press('Enter')
  await until('it goes on to the run', () => tab.evaluate(() => /#\/sync\/runs\/\d+$/.test(location.hash)))
  await until('it is done', async () => (await page.text('#run-title')).startsWith('Done'), 60_000)
  await soon(async () => assert.deepEqual(await there(), { Spring: 9, Summer: 5 }))

  await tab.evaluate(() => (location.hash = '#/sync/plan'))
  await until('nothing is left', async () => (await page.text('[data-testid=plan] h2')) === 'Nothing to send')
  await seeAccessible(page, 'nothing to send')
})

test('an outdated plan says so, cannot be sent, and is made again by a key, in the dark', async () => {
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await until(
    'the price',
    async () => (await headline(page))?.startsWith('2 requests would be sent') === true,
  )
  await people(list, 30, 32)
  await tab.getByTestId('plan-stale').waitFor()
  await soon(async () => assert.ok(await tab.getByRole('button', { name: 'Send…' }).isDisabled()))
  await seeAccessible(page, 'a plan out of date')
  await matchAria(page, 'sync/plan/stale', '[data-testid=plan-stale]')
  await tab.keyboard.press('r')
  await tab.getByTestId('plan-stale').waitFor({ state: 'detached' })
  await until('the rows are shown again', async () =>
    (await steps(page)).includes('Add 14 contacts to “Spring”'),
  )

  const [file] = await Promise.all([
    tab.waitForEvent('download'),
    tab
      .getByRole('button', { name: 'Export' })
      .click()
      .then(() => tab.getByRole('menuitem', { name: 'Plan as Markdown…' }).click()),
  ])
  assert.match(await readFile(await file.path(), 'utf8'), /Spring/)

  await tab.keyboard.press('Control+Enter')
  const dialog = tab.locator('dialog[open]')
  await dialog.waitFor()
  await soon(async () => assert.equal(await dialog.getByRole('textbox').count(), 0))
  assert.equal(await tab.evaluate(() => document.activeElement?.textContent), 'Cancel')
  await seeAccessible(page, 'the plain question')
  await tab.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await soon(async () => assert.deepEqual(await there(), {}))
})

test('a plan that is sent from elsewhere disappears, and the page stays', async () => {
  const page = await open()
  const { tab } = page
  await until('the price', async () => /^\d+ requests would be sent/.test(await headline(page)))
  // Select a step: the frame reads the commands for it until the plan is removed.
  await tab.locator('tbody tr').first().click()
  await push(call)
  await until(
    'there is nothing to send',
    async () => (await page.text('[data-testid=plan] h2')) === 'Nothing to send',
  )
  assert.deepEqual(page.complaints, [])
})

test('a step is left out and taken in again by keys', async () => {
  await push(call)
  await people(list, 30, 33)
  await call('list_create', { name: 'Summer' })
  const page = await open()
  const { tab } = page
  const both = ['Create the list “Summer”', 'Add 3 contacts to “Spring”']
  await until('both steps', async () => (await steps(page)).join() === both.join())
  await tab.locator('tbody tr', { hasText: 'Add 3 contacts' }).focus()
  await tab.keyboard.press('Space')
  const left = tab.locator('#plan-left-out')
  await left.waitFor()
  await until('one step is left', async () => (await steps(page)).join() === both[0])
  await until('the focus goes on', () =>
    tab.evaluate(() => document.activeElement?.matches('tbody tr') === true),
  )
  await seeAccessible(page, 'a step left out')
  await left.getByRole('button', { name: 'Include “Add 3 contacts to “Spring””' }).focus()
  await tab.keyboard.press('Enter')
  await until('both are back', async () => (await steps(page)).join() === both.join())
  await left.waitFor({ state: 'detached' })
})

test('what the interface cannot express is shown with its choices and their price, and nothing is sent until one is chosen', async () => {
  await push(call)
  await call('list_rename', { uid: list, name: 'Early spring' })
  const [{ uid }] = await contacts(list)
  await call('contact_update', { uid, fields: { firstname: null }, region: null })
  const page = await open()
  const { tab } = page
  await until('nothing can be sent', async () =>
    (await page.text('[data-testid=plan] h2')).startsWith('Nothing can be sent yet'),
  )
  const emptied = tab.locator('li[data-obstacle=clearing]')
  const renamed = tab.locator('li[data-obstacle=rename]')
  await soon(async () => assert.match(await emptied.textContent(), /1 row has a value cleared here/))
  await seeAccessible(page, 'what cannot be expressed')
  await matchAria(page, 'sync/plan/blocked', 'section:has(> #plan-blocked)')
  await renamed.getByRole('radio', { name: /Show the new name here only/ }).click()
  await until('the name is settled', async () => (await renamed.count()) === 0)
  const anew = emptied.getByRole('radio', { name: /Create the contact again/ })
  await until('it can be chosen', () => anew.isEnabled())
  await anew.focus()
  await tab.keyboard.press('Space')
  await until('it has its steps', async () => (await steps(page)).length === 2)
  await soon(async () => assert.match((await steps(page)).join(), /Add 1 contact to .*Delete 1 contact of/))
})

test('a field of which nothing is known yet leads to the check of the service', async () => {
  let number = 0
  while (number < 6) ({ number } = await call('custom_field_add', { label: 'Loyalty card' }))
  await call('contact_paste', {
    list,
    contacts: [{ ...person(40), field_6: 'Gold' }],
    region: null,
  })
  const page = await open()
  const { tab } = page
  const unchecked = tab.locator('[data-obstacle=unchecked_field]')
  await unchecked
    .getByRole('heading', { name: '1 row has a field that was never checked at the service' })
    .waitFor()
  await tab.getByRole('link', { name: '1 row with an unresolved field' }).waitFor()
  assert.doesNotMatch(await page.text('[data-testid=plan]'), /the service cannot make/)
  await seeAccessible(page, 'a field that was never checked')
  await unchecked.getByRole('link', { name: 'Open Service capabilities' }).click()
  await tab.getByRole('heading', { name: 'Service capabilities' }).waitFor()
  // Only a list with contacts at the service shows which fields the service has.
  await call('plan_make')
  await push(call)
  await pull(call)
  assert.deepEqual(
    (await call('plan_make')).blocked.map(({ obstacle }) => obstacle),
    ['unknown_field'],
  )
})
