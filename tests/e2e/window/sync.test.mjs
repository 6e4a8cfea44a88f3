// A day of the sync in the real window, with a second server: pull, edit while the service is down, review, resolve,
// plan, push and verify; and a run that is interrupted by a network failure.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { deleteContacts } from '../support/commands.mjs'
import { begin, fillLabelled } from '../support/journeys.mjs'
import { ownFolder, picture, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { connect, ended, pull, run, startService } from '../support/service.mjs'
import { openWindow } from '../support/window/open.mjs'

const LONG_MS = 120_000
const OPT_OUTS = 8
const PEOPLE = 6
const PASSPHRASE = 'several words of this test'

let screen
let folder
let page
let service
let call

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  service = await startService(folder.path)
  page = await openWindow({ display: screen.display, folder: folder.path })
  call = page.call
  await begin(page)
})
afterEach(async () => {
  await page?.close()
  await service?.cut()
  await folder.remove()
})

const number = (n) => `+4477009003${String(n).padStart(2, '0')}`
const guest = (n) => ({ phone_number: number(n), firstname: `Guest ${n}`, city: 'York' })
const shot = async (name) => page.screenshot(await picture(`window-sync-${name}`))
const status = () => call('sync_status')

const PAGE = { page_number: 1, page_size: 50 }
const listsOf = async (ask) =>
  (await ask('list_page', { ...PAGE, sort_by: 'name', sort_order: 'ASC', name: null })).items
const contactsOf = async (ask, list) =>
  (await ask('contact_page', { list, ...PAGE, sort: null, filter: null, opted_out: null })).items
const contactOf = async (ask, list, n) =>
  (await contactsOf(ask, list)).find(({ values }) => values.phone_number === number(n))
const cityOf = async (ask, list, n) => (await contactOf(ask, list, n))?.values.city

/** Creates a list of guests at the service. */
async function springThere() {
  const { uid } = await service.call('list_create', { name: 'Spring' })
  const contacts = Array.from({ length: PEOPLE }, (_, n) => guest(n))
  await service.call('contact_paste', { list: uid, contacts, region: null })
  return uid
}

const go = async (place, css) => {
  await page.run('location.hash = arguments[0]', place)
  await until(`${place} is shown`, () => page.count(css), 30_000)
}
const shows = (what, css, text) =>
  until(what, async () => (await page.texts(css)).some((shown) => shown.startsWith(text)), 30_000)
const readStatus = () =>
  page.run("return document.querySelector('[data-testid=run-head]')?.dataset.status ?? ''")
const stands = (name) =>
  until(`the run is ${name}`, async () => assert.equal(await readStatus(), name) ?? true, LONG_MS)
const focus = (css) =>
  until(`${css} has the focus`, () =>
    page.run(
      `const found = document.querySelector(arguments[0])
       found?.focus()
       return found !== null && found === document.activeElement`,
      css,
    ),
  )

/** Fills in a dialog of one field and confirms it. */
async function answer(chord, text) {
  await page.press(chord)
  await until(`${chord} asks`, () => page.count('dialog[open] input'))
  await page.fill('dialog input', text)
  await page.press('Enter')
  await until('it is answered', async () => (await page.count('dialog')) === 0)
}

/** Types a value into a cell, which it reaches by keys. */
async function typeInto(list, n, column, text) {
  await go(`#/lists/${list}`, 'main [role=grid]')
  const row = await until(`${number(n)} is in view`, () =>
    page.run(
      `const lines = [...document.querySelectorAll('main .body .line:not([hidden])')]
       return lines.find((line) => line.textContent.includes(arguments[0]))?.getAttribute('aria-rowindex')`,
      number(n),
    ),
  )
  await focus('main [role=grid]')
  await answer('Control+g', String(Number(row) - 1))
  await answer('Control+Shift+g', column)
  await until('the cell has the keys', () =>
    page.run(
      `const grid = document.querySelector('[role=grid]')
       const cell = document.getElementById(grid.getAttribute('aria-activedescendant'))
       const at = cell?.getAttribute('aria-colindex')
       const heading = grid.querySelector('[role=columnheader][aria-colindex="' + at + '"] .title')
       return document.activeElement === grid && heading?.textContent === arguments[0]`,
      column,
    ),
  )
  await page.type(text)
  await until('the field has it', async () => (await page.value('.editor textarea')) === text)
  await page.press('Enter')
  await until('it is saved', async () => (await cityOf(call, list, n)) === text)
}

/** Returns how many rows in view are held. */
const heldRows = () =>
  page.run("return document.querySelectorAll('main tbody tr input[type=checkbox]:not(:checked)').length")

/** Pulls as the user does. */
async function read() {
  const { pulled_at: last } = await status()
  await page.press('F5')
  await until(
    'the service is read',
    async () => {
      const { work, pulled_at } = await status()
      return work === null && pulled_at !== last
    },
    30_000,
  )
}

test('a day offline is reviewed, decided, planned, pushed and verified', async () => {
  const there = await springThere()
  await go('#/sync/connection', 'main h2')
  await shot('unconnected')
  await page.press('Control+n')
  await until('the form is there', () => page.count('[data-testid=connection-form] input'))
  await fillLabelled(page, 'Name', 'Service')
  await fillLabelled(page, 'Address', service.url)
  await fillLabelled(page, 'Key', 'key-of-the-test')
  await fillLabelled(page, 'Passphrase', PASSPHRASE)
  await fillLabelled(page, 'Repeat the passphrase', PASSPHRASE)
  await shot('form')
  await page.press('Control+Enter')
  await until('it is connected', async () => (await status()).is_connected)
  await shows('the service answers', '[data-testid=tested]', 'It responds: 1 list')
  await read()
  await shows('it is shown', '[data-testid=sync-bar]', 'Pulled')
  await shot('connection')
  const [{ uid: here, name, contact_count }] = await listsOf(call)
  assert.deepEqual([name, contact_count], ['Spring', PEOPLE])

  // The service does not answer; everything else continues here.
  await service.cut()
  await typeInto(here, 0, 'City', 'Bath')
  await typeInto(here, 1, 'City', 'Leeds')
  await deleteContacts(call, here, [(await contactOf(call, here, 5)).uid])
  const { uid: summer } = await call('list_create', { name: 'Summer' })
  await call('contact_paste', { list: summer, contacts: [20, 21, 22].map(guest), region: null })
  await page.press('Control+s')
  await shows('what waits is counted', '[data-testid=changes-sum] strong', '7 changes')
  await shot('changes')
  await focus('main tbody tr')
  await page.press(' ')
  await until('a row is held back', async () => (await heldRows()) === 1)
  await soon(async () => assert.equal((await status()).held, 1))
  await page.press(' ')
  await until('and goes with the others', async () => (await heldRows()) === 0)
  await soon(async () => assert.equal((await status()).held, 0))

  await service.begin()
  const other = await contactOf(service.call, there, 1)
  await service.call('contact_update', { uid: other.uid, fields: { city: 'Hull' }, region: null })
  await read()
  await until('it is disputed', async () => (await status()).conflicts === 1)
  await go('#/sync/conflicts', '[data-testid=conflict-fields]')
  await shot('conflicts')
  await page.press('1')
  await until('it is decided', async () => (await status()).conflicts === 0)
  await shows('nothing is left to decide', 'main h2', 'No conflicts')
  await shot('decided')

  await page.press('Control+Shift+s')
  await until('a plan of now is shown', async () =>
    (await page.texts('[data-testid=plan] tbody th[role=rowheader]')).includes('Create the list “Summer”'),
  )
  await shot('plan')
  await until('it can be sent', () =>
    page.run(
      `return [...document.querySelectorAll('main button')]
         .some((one) => one.textContent.trim() === 'Send…' && !one.disabled)`,
    ),
  )
  await page.press('Control+Enter')
  await until('the question is asked', () => page.count('dialog[open] [data-gate]'))
  await page.fill('dialog input', '1')
  await shot('send')
  await page.press('Enter')
  await stands('over')
  await soon(async () => assert.match(await page.text('#run-title'), /^Done: all \d+ rows have arrived$/))
  await shot('run')

  await soon(async () => assert.equal(await cityOf(service.call, there, 0), 'Bath'))
  await soon(async () => assert.equal(await cityOf(service.call, there, 1), 'Leeds'))
  await soon(async () => assert.equal(await cityOf(service.call, there, 2), 'York'))
  await soon(async () =>
    assert.deepEqual(
      (await listsOf(service.call)).map((one) => [one.name, one.contact_count]),
      [
        ['Spring', PEOPLE - 1],
        ['Summer', 3],
      ],
    ),
  )
  assert.equal((await call('plan_make')).steps.length, 0)
  await go('#/sync/plan', '[data-testid=plan] h2')
  await shows('nothing is left to send', '[data-testid=plan] h2', 'Nothing to send')
  await shot('nothing-to-send')
  await go('#/sync/changes', 'main h2')
  await shot('nothing-waits')
  await go('#/sync/runs/refused', '[data-testid=runs] h2')
  await shot('nothing-refused')
  await go('#/sync/runs/audit', '[data-testid=audit-sound]')
  await shot('record')
})

test('a run is cut off with the network half-way, and continues where it was', async () => {
  await connect(call, service, { calls_per_second: 1 })
  await pull(call)
  const entries = Array.from({ length: OPT_OUTS }, (_, n) => ({
    number: number(n),
    channels: ['SMS'],
    asset: null,
  }))
  await call('opt_out_add', { entries, reason: 'Asked by letter', region: null })
  const id = await run(call)
  await go(`#/sync/runs/${id}`, '[data-testid=run-head]')
  await until(
    'the first have arrived',
    async () => (await call('run_get', { run: id })).counts.verified > 0,
    LONG_MS,
  )
  await shot('at-work')
  await service.cut()
  await until('it says that it waits', () => page.count('[data-testid=run-head] .wait'), LONG_MS)
  // It gives up after some seconds, so the key comes before any picture.
  await until('Space pauses it', async () => {
    await focus('#run-title')
    await page.press(' ')
    return (await readStatus()) !== 'working'
  })
  await stands('paused')
  await shot('paused')
  const { counts } = await call('run_get', { run: id })
  assert.ok(counts.verified > 0 && counts.verified < OPT_OUTS, 'it was cut off half-way')

  await service.begin()
  await page.tab.getByTestId('run-head').getByRole('button', { name: 'Resume' }).click()
  await page.tab.locator('dialog[open]').getByRole('button', { name: 'Resume' }).click()
  await stands('over')
  await soon(async () =>
    assert.equal(await page.text('#run-title'), `Done: all ${OPT_OUTS} rows have arrived`),
  )
  await soon(async () => assert.equal((await ended(call, id)).state, 'done'))
  await shot('resumed')
  const there = await service.call('opt_out_page', {
    number: null,
    kind: null,
    channel: null,
    scope: null,
    asset: null,
    inbound_number: null,
    from: null,
    to: null,
    order: 'ASC',
    ...PAGE,
  })
  assert.equal(there.total_items, OPT_OUTS)
})
