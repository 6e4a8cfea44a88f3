// Runs in Chromium: paused, interrupted and resumed against a second server, a refused row fixed, a run undone, the
// audit.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import {
  connect,
  contactsThere,
  ended,
  listThere,
  pull,
  push,
  run,
  startPicky,
  upload,
} from '../support/service.mjs'

const pair = pairForEach()
const { call } = pair
let service
let picky

beforeEach(() => ({ service } = pair))
afterEach(async () => {
  await picky?.stop()
  picky = undefined
})

/** Connects the account to the service, or to a proxy of it, and pulls. */
async function connected(options, to = service) {
  await connect(call, to, options)
  await pull(call)
}

const number = (n) => `+4477009002${String(n).padStart(2, '0')}`
const OPT_OUTS = 12
/** More opt-outs than a run at one call a second sends while somebody cancels it, however slow the computer is. */
const MANY_OPT_OUTS = 99
const LONG_MS = 60_000

/** Adds opt-outs, each of which takes a call, so that the run takes a while. */
const optOuts = (length = OPT_OUTS) =>
  call('opt_out_add', {
    entries: Array.from({ length }, (_, n) => ({
      number: number(n),
      channels: ['SMS'],
      asset: null,
    })),
    reason: 'Asked by letter',
    region: null,
  })
const optedOutThere = async () =>
  (
    await service.call('opt_out_page', {
      number: null,
      kind: null,
      channel: null,
      scope: null,
      asset: null,
      inbound_number: null,
      from: null,
      to: null,
      order: 'ASC',
      page_number: 1,
      page_size: 100,
    })
  ).items

async function open(place, options) {
  const page = await pair.open(options)
  await page.tab.locator('main h1').waitFor()
  await page.tab.evaluate((hash) => (location.hash = hash), place)
  await page.tab.getByTestId('runs').waitFor()
  return page
}
const readStatus = (page) => page.tab.getByTestId('run-head').getAttribute('data-status')
const stands = (page, name, ms) =>
  until(`the run is ${name}`, async () => (await readStatus(page)) === name, ms)
const counted = async (page, id) =>
  Number((await page.text(`[data-count=${id}]`))?.replaceAll(/[^\d]/g, '') ?? 0)
/** Resumes the run shown, and confirms it. */
async function resume({ tab }) {
  await tab.getByTestId('run-head').getByRole('button', { name: 'Resume' }).click()
  await tab.locator('dialog[open]').getByRole('button', { name: 'Resume' }).click()
}
const toasts = async (page) => (await page.texts('[data-testid=toast]')).join(' ')

test('a run is paused by a key, cut off with the service, resumed, and nothing is there twice', async () => {
  await connected({ calls_per_second: 1 })
  await optOuts()
  // Open the page before the run starts, because the run would continue meanwhile.
  const page = await open('#/sync/runs')
  const { tab } = page
  const id = await run(call)
  await stands(page, 'working')
  await until('the first have arrived', async () => (await counted(page, 'verified')) > 0, LONG_MS)
  await tab.locator('#run-title').focus()
  await tab.keyboard.press('Space')
  await stands(page, 'paused', LONG_MS)
  await soon(async () => assert.match(await page.text('#run-title'), /^Paused: \d+ of 12 rows have arrived$/))
  await seeAccessible(page, 'a paused run')
  await matchAria(page, 'sync/run/paused', '[data-testid=run-head]', [
    [/\b\d+ of 12\b/g, '«some» of 12'],
    [/definition: .*/g, 'definition: «some»'],
  ])

  // A key pressed without looking sends nothing, even twice; nor does Enter in the question.
  for (const key of ['Space', 'Space', 'Enter']) {
    await tab.locator('#run-title').focus()
    await tab.keyboard.press(key)
  }
  assert.equal(await tab.locator('dialog[open]').count(), 0)
  assert.equal(await readStatus(page), 'paused')
  await tab.getByRole('button', { name: 'Resume' }).click()
  await tab.locator('dialog[open]').waitFor()
  await soon(async () => assert.match(await page.text('dialog[open]'), /\d+ rows? will be sent to .*http/s))
  await seeAccessible(page, 'the question before sending goes on')
  await tab.keyboard.press('Enter')
  await until('the question is gone', async () => (await tab.locator('dialog[open]').count()) === 0)
  assert.equal(await readStatus(page), 'paused')
  await resume(page)
  await stands(page, 'working', LONG_MS)
  await service.cut()
  await seeAccessible(page, 'a run at work')
  await service.begin()
  await stands(page, 'over', LONG_MS)
  await soon(async () =>
    assert.equal(await page.text('#run-title'), `Done: all ${OPT_OUTS} rows have arrived`),
  )
  await until('its end is shown', async () =>
    (await toasts(page)).includes('Everything was sent and has arrived.'),
  )
  await soon(async () => assert.equal((await ended(call, id)).state, 'done'))
  const arrived = (await optedOutThere()).map((one) => one.number)
  assert.deepEqual(
    arrived.toSorted(),
    Array.from({ length: OPT_OUTS }, (_, n) => number(n)),
  )
})

test('what a run leaves is shown with a link, and the activity shows what was sent', async () => {
  const people = [0, 1].map((n) => ({ phone_number: number(n), firstname: `Guest ${n}` }))
  const list = await listThere(service, 'Newsletter', people)
  await connected()
  const [first, second] = await contactsThere(service, list)
  for (const { uid } of [first, second])
    await call('contact_update', { uid, fields: { firstname: 'Mine' }, region: null })
  await upload(service, list, [{ phone_number: first.phone_number, firstname: 'Theirs' }])
  await pull(call)
  const page = await open('#/sync/runs')
  const { tab } = page
  const id = await run(call)
  await stands(page, 'over', LONG_MS)
  const words = 'Sent what could be sent. Still here: 1 conflict and 1 change to send.'
  await until('its end is shown', async () => (await toasts(page)).includes(words))
  const left = tab.getByTestId('run-left')
  assert.deepEqual(await left.getByRole('link').allTextContents(), ['1 conflict', '1 change to send'])
  await tab.getByTestId('toast').filter({ hasText: words }).getByRole('link', { name: 'Show' }).click()
  await until('the conflict is shown', () => page.count('[data-testid=conflicts-left]'))
  await tab.evaluate((hash) => (location.hash = hash), '#/activity')
  const entry = tab.getByTestId('timeline').locator('li').filter({ hasText: 'Sent a change to the service' })
  await entry.getByRole('link', { name: 'Show the run' }).click()
  await until(
    'the run is shown',
    async () => (await tab.evaluate(() => location.hash)) === `#/sync/runs/${id}`,
  )
  await tab.getByTestId('run-head').waitFor()
})

test('a service that cannot be reached sets the run aside with a sentence; it is resumed when the service is back', async () => {
  await connected()
  await call('list_create', { name: 'Spring' })
  const page = await open('#/sync/runs', { colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await until('there is no run yet', async () => (await page.text('main h2')) === 'Nothing sent yet')
  await seeAccessible(page, 'no run')
  await service.cut()
  await run(call)
  await tab.getByTestId('run-stopped').waitFor({ timeout: LONG_MS })
  await stands(page, 'stopped')
  await soon(async () => assert.match(await page.text('[data-testid=run-stopped]'), /cannot be reached/))
  await seeAccessible(page, 'a run that could not go on')
  await matchAria(page, 'sync/run/stopped', '[data-testid=run-stopped]', [
    [/: [^:]*refused[^.]*\./g, ': «why».'],
  ])
  await service.begin()
  await resume(page)
  await stands(page, 'over', LONG_MS)
  await soon(async () => assert.equal(await page.text('#run-title'), 'Done: the row has arrived'))
})

test('cancelling a run explains what that means, and unsent changes are pending again', async () => {
  await connected({ calls_per_second: 1 })
  await optOuts(MANY_OPT_OUTS)
  const page = await open('#/sync/runs', { colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  const id = await run(call)
  await tab.evaluate((hash) => (location.hash = hash), `#/sync/runs/${id}`)
  await stands(page, 'working')
  await until('the first have arrived', async () => (await counted(page, 'verified')) > 0, LONG_MS)
  await tab.keyboard.press('Control+.')
  const dialog = tab.locator('dialog[open]')
  await dialog.waitFor()
  await soon(async () => assert.match(await dialog.textContent(), /Nothing more is sent/))
  await seeAccessible(page, 'the question')
  await matchAria(page, 'sync/run/cancel', 'dialog[open]')
  await dialog.getByRole('button', { name: 'Cancel run' }).click()
  await stands(page, 'over', LONG_MS)
  const title = new RegExp(`^Cancelled: \\d+ of ${MANY_OPT_OUTS} rows have arrived$`)
  await soon(async () => assert.match(await page.text('#run-title'), title))
  await seeAccessible(page, 'a cancelled run')
  const arrived = (await optedOutThere()).length
  await soon(async () => assert.equal((await call('sync_status')).changes, MANY_OPT_OUTS - arrived))
})

test('a refused row is shown with its reason, fixed in place and sent with the next plan', async () => {
  picky = await startPicky(service, ({ city }) => (city?.length > 10 ? 'city' : undefined))
  await connected({}, picky)
  const list = (await call('list_create', { name: 'Spring' })).uid
  const contacts = ['York', 'Bath', 'A city of many letters'].map((city, n) => ({
    phone_number: number(20 + n),
    firstname: `Guest ${n}`,
    city,
  }))
  await call('contact_paste', { list, contacts, region: null })
  const id = await run(call)
  await ended(call, id)
  const page = await open(`#/sync/runs/${id}`)
  const { tab } = page
  await until(
    'it shows the refused row',
    async () => (await page.text('#run-title')) === 'Done, but 1 row was refused',
  )
  await seeAccessible(page, 'a run with a refused row')
  await tab.keyboard.press('q')
  const field = tab.getByRole('textbox', { name: 'City' })
  await field.waitFor()
  await soon(async () => assert.equal(await field.inputValue(), 'A city of many letters'))
  await soon(async () => assert.match(await page.text('main form'), /size must be between 1 and 10/))
  await seeAccessible(page, 'a refused row')
  await matchAria(page, 'sync/run/refused', '[data-testid=runs]', [[/in run \d+/g, 'in run «n»']])
  await field.fill('Leeds')
  await field.press('Enter')
  await until('it goes again', async () => (await toasts(page)).includes('The next plan includes 1 row.'))
  await until('the focus is on the way on', () =>
    tab.evaluate(() => document.activeElement?.id === 'refused-next'),
  )
  await tab.keyboard.press('Enter')
  await until('the plan has it', async () =>
    (await page.text('#plan-title'))?.startsWith('1 request would be sent'),
  )
  const again = await push(call)
  assert.equal(again.counts.verified, 1)
})

test('a run that is over shows its requests, its report and the record, and can be undone by a plan', async () => {
  await connected()
  const list = (await call('list_create', { name: 'Spring' })).uid
  await call('contact_paste', {
    list,
    contacts: [20, 21].map((n) => ({ phone_number: number(n), firstname: 'Guest' })),
    region: null,
  })
  const { id } = await push(call)
  const page = await open('#/sync/runs')
  const { tab } = page
  await tab.getByRole('link', { name: `Run ${id}` }).click()
  await stands(page, 'over')
  const row = tab.locator('tbody tr', { hasText: 'Add 2 contacts' })
  await row.focus()
  await tab.keyboard.press('Enter')
  await until('its request is shown', async () => /Status 20\d/.test(await page.text('#panel')))
  await tab.locator('#panel pre').waitFor()
  await seeAccessible(page, 'a step and its requests')
  await tab.keyboard.press('Escape')
  const [file] = await Promise.all([
    tab.waitForEvent('download'),
    tab
      .getByRole('button', { name: 'Report' })
      .click()
      .then(() => tab.getByRole('menuitem', { name: 'Report as Markdown…' }).click()),
  ])
  assert.match(await readFile(await file.path(), 'utf8'), /contacts\.create/)

  await tab.getByRole('link', { name: 'Audit log' }).click()
  await tab.getByTestId('audit-sound').waitFor()
  await seeAccessible(page, 'the record')
  await tab.goBack()
  await tab.getByRole('button', { name: 'Undo…' }).click()
  const dialog = tab.locator('dialog[open]')
  await until('what comes back is shown', async () =>
    /2 rows change back here\. Contacts that this run created at the service are also deleted here/.test(
      await dialog.textContent(),
    ),
  )
  await soon(async () =>
    assert.deepEqual(await page.texts('[data-testid=undo-stays] li'), ['Lists that this run created stay.']),
  )
  await until('Enter changes nothing', () =>
    dialog.getByRole('button', { name: 'Cancel' }).evaluate((button) => button === document.activeElement),
  )
  await seeAccessible(page, 'the way back')
  await dialog.getByRole('button', { name: 'Undo and show plan' }).click()
  await until('the plan takes them back', async () =>
    (await page.texts('[data-testid=plan] tbody th')).includes('Delete 2 contacts of “Spring”'),
  )
})
