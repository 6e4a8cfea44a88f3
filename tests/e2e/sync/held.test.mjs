// Runs in Chromium: a removal that Roost held back links to its reason, two removals of one number are distinguishable,
// and a paused run asks for the passphrase of its key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { pairForEach } from '../support/pair.mjs'
import { sleep, soon, until } from '../support/places.mjs'
import { connect, ended, pull, rest, run } from '../support/service.mjs'

const pair = pairForEach()
const { call } = pair
const NUMBER = '+447700900277'
const PASSPHRASE = 'a passphrase of this test alone'
const LONG_MS = 60_000

const there = (channel) =>
  rest(pair.service, 'POST', '/contacts/v1/optouts', { optouts: [{ number: NUMBER, channel }] })
const goneThere = (channel) =>
  rest(pair.service, 'DELETE', '/contacts/v1/optouts', { numbers: [NUMBER], channel })

/** Creates opt-outs of one number at the service, whose removal is not sent yet. */
async function removals(...channels) {
  for (const channel of channels) await there(channel)
  await connect(call, pair.service, { passphrase: PASSPHRASE })
  await pull(call)
  const what = { records: channels.map((channel) => ({ number: NUMBER, channel, asset: null })) }
  const { count, stamp } = await call('opt_out_removal_preview', { what })
  await call('opt_out_remove', { what, expected_count: count, stamp, reason: 'Asked by letter' })
}

async function open(place) {
  const page = await pair.open()
  await page.tab.locator('main h1').waitFor()
  await page.tab.evaluate((hash) => (location.hash = hash), place)
  await until('the screen is there', () => page.count('main [role=tab]'))
  return page
}

test('a row that Roost held back is not shown as refused, and links to its reason', async () => {
  await removals('SMS')
  const page = await open('#/sync/runs')
  const { tab } = page
  await tab.getByText('Nothing sent yet').waitFor()
  // A page that learns of a run only after its end lists it among the earlier ones.
  const slowly = { effect: { latency: { fixed: '400ms' } } }
  await pair.service.call('server_operate', { method: 'POST', target: '/__admin/faults/rules', body: slowly })
  const plan = await call('plan_make')
  // In the meantime the person opted out again.
  await goneThere('SMS')
  await sleep(1_100)
  await there('SMS')
  const { run: id } = await call('run_start', {
    plan: plan.id,
    typed: plan.gates.map(({ wanted }) => wanted),
  })
  await ended(call, id)
  await until(
    'it is shown',
    async () => (await page.text('#run-title')) === 'Done, but 1 row was held back',
    LONG_MS,
  )
  await until('its end is shown', async () =>
    (await page.texts('[data-testid=toast]'))
      .join()
      .includes('1 row was held back. Open the run to see why.'),
  )
  await soon(async () =>
    assert.equal(await page.count('[data-testid=run-head] a[href="#/sync/runs/refused"]'), 0),
  )
  await tab.locator('[data-count=held]').getByRole('button', { name: 'show why' }).click()
  await until('the reason is shown', async () =>
    (await page.text('#panel'))?.includes('The service has another opt-out than the one'),
  )
  await seeAccessible(page, 'a run that was held back')

  await tab.evaluate(() => (location.hash = '#/sync/runs/refused'))
  const why = tab.getByRole('button', { name: 'Why rows did not arrive' })
  if ((await call('sync_status')).refused > 0) {
    await why.click()
    await until('the reason is shown again', async () =>
      (await page.text('#panel'))?.includes('The service has another opt-out than the one'),
    )
    await tab.getByRole('link', { name: 'Held back or refused 1' }).waitFor()
    await tab.evaluate(() => (location.hash = '#/overview'))
    await tab.getByTestId('waiting').getByRole('link', { name: '1 row held back or refused' }).waitFor()
  }
  assert.deepEqual(page.complaints, [])
})

test('removals of opt-outs are confirmed at once by their number, and name a channel', async () => {
  await removals('SMS', 'WHATSAPP')
  const page = await open('#/sync/plan')
  const { tab } = page
  await tab.getByTestId('plan').locator('h2').first().waitFor()
  await until('it can be sent', () => tab.getByRole('button', { name: 'Send…' }).isEnabled())
  await tab.keyboard.press('Control+Enter')
  await tab.locator('dialog[open] .gate').first().waitFor()
  const gates = await page.texts('dialog[open] .gate')
  assert.equal(gates.length, 1, gates.join(' '))
  assert.match(gates[0], /^2 opt-outs are removed, such as that of .*277 \((?:SMS|WhatsApp)\)/)
  await tab.getByLabel('Type 2, the number of opt-outs to remove, to confirm').fill('2')
  await tab.locator('dialog[open]').getByRole('button', { name: 'Send now' }).click()
  await until(
    'both are sent',
    async () => (await page.text('#run-title')) === 'Done: all 2 rows have arrived',
    LONG_MS,
  )
})

test('a run that waits asks for the passphrase of its key', async () => {
  await connect(call, pair.service, { passphrase: PASSPHRASE })
  await pull(call)
  await call('list_create', { name: 'Spring' })
  await pair.service.cut()
  const id = await run(call)
  await until(
    'it was set aside',
    async () => {
      const { is_at_work, ended_at } = await call('run_get', { run: id })
      return !is_at_work && ended_at === null
    },
    LONG_MS,
  )
  await pair.server.stop()
  await pair.start()
  await pair.service.begin()
  const page = await open(`#/sync/runs/${id}`)
  const { tab } = page
  await tab.getByTestId('run-head').getByRole('button', { name: 'Resume' }).click()
  await tab.locator('dialog[open]').getByRole('button', { name: 'Resume' }).click()
  await until('it is asked for', () => page.count('dialog[open] input[type=password]'))
  await tab.keyboard.type(PASSPHRASE)
  await tab.keyboard.press('Enter')
  await until(
    'it goes on',
    async () => (await page.text('#run-title')) === 'Done: the row has arrived',
    LONG_MS,
  )
})
