// The screen of the local server in Chromium, for the very server that serves it: requests as they arrive, why one was
// refused and its consequences, settings, worlds, switches, snapshots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { post, operate } = asksOf(here)

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/server"]').click()
  await until('the screen is there', async () => (await page.text('main h1')) === 'Local server')
  return page
}

const create = (name, base) => post('/contacts/v1/lists/create', { name }, base)
async function goTo(page, tab) {
  await page.tab.getByRole('tab', { name: tab }).click()
  await until(`${tab} is chosen`, () => page.tab.getByRole('tab', { name: tab, selected: true }).count())
}
const saw = (page, text) =>
  until(`“${text}” is shown`, async () => (await page.texts('main')).some((all) => all.includes(text)))
/** The settings are collapsed at first. */
const unfold = (page) => page.tab.locator('[data-testid=server-settings] > summary').click()
const rows = (page) => page.count('main tbody tr')

test('requests appear as they come in, and a refused one says why', async () => {
  const page = await open()
  const { tab } = page
  await until(
    'its own address',
    async () => (await page.text('[data-testid=server-url]')) === here.server.url,
  )
  await soon(async () => assert.equal(await tab.getByRole('button', { name: 'Stop server' }).count(), 0))
  await until('the empty table says what to do', async () =>
    (await page.texts('main h2')).includes('No requests yet'),
  )
  await seeAccessible(page, 'no request yet')
  assert.equal((await create('Newsletter')).status, 200)
  assert.equal((await create('')).status, 400)
  await until('both are listed', async () => (await rows(page)) === 2)
  await tab.locator('main tbody tr').first().focus()
  await tab.keyboard.press('Enter')
  await tab.getByRole('tab', { name: 'Reason' }).click()
  await until('why it was refused', async () => /\S/.test((await page.text('[data-testid=refused]')) ?? ''))
  await seeAccessible(page, 'a refused request')
  await matchAria(page, 'server/server-request', '#panel', [[/\b[0-9a-f]{16}\b/g, '«trace»']])
  await tab.keyboard.press('c')
  await until('the copy is shown', async () =>
    (await page.texts('[data-testid=toast]')).some((t) => t.includes('Copied')),
  )
  await tab.keyboard.press('Escape')
  await until('the panel is closed', async () => (await page.count('#panel')) === 0)
  await matchAria(page, 'server/server')
  await tab.getByRole('combobox', { name: 'Status' }).selectOption('2xx')
  await until('the filter leaves one', async () => (await rows(page)) === 1)
  await tab.getByRole('button', { name: 'Clear all' }).click()
  await until('none is kept', async () => (await rows(page)) === 0)
})

test('a setting takes effect at once, and an error is shown at its field, in the dark', async () => {
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await unfold(page)
  await tab.getByLabel('Limit requests per second').check()
  const field = tab.getByLabel('Requests per second', { exact: true })
  await field.fill('many')
  await field.press('Enter')
  await until('the fault is shown', async () =>
    (await page.texts('form [role=alert]')).some((t) => t === 'Enter a whole number from 1 to 1,000,000.'),
  )
  await seeAccessible(page, 'the refused setting')
  await field.fill('25')
  await field.press('Enter')
  await until('no fault is left', async () => (await page.texts('form [role=alert]')).every((t) => t === ''))
  await tab.reload()
  await until('it is shown in the folded line', async () =>
    (await page.text('[data-testid=server-settings] > summary')).includes('at most 25 requests per second'),
  )
  await until('it holds', async () => (await field.inputValue()) === '25')
})

test('only the keys given get in once they are asked for', async () => {
  const page = await open()
  const { tab } = page
  await tab.locator('[data-testid=server-settings] > summary').focus()
  await tab.keyboard.press('Enter')
  await tab.getByLabel('With one of the keys below').focus()
  await tab.keyboard.press('Space')
  const keys = tab.locator('main textarea')
  await keys.fill('shop-backend-1\nshop-backend-2')
  await tab.keyboard.press('Tab')
  await tab.keyboard.press('Enter')
  await until('they are kept by their beginnings', async () =>
    (await page.text('main form')).includes('Current keys: shop…, shop…'),
  )
  await until('the form is empty again', async () => (await keys.inputValue()) === '')
  await until('a stranger stays out', async () => (await create('By a stranger')).status === 401)
  await seeAccessible(page, 'keys')
  await matchAria(page, 'server/server-keys', 'main section:has(textarea)')
})

test('a rule that met a request is named, and its rows, job and callbacks are one step away, both ways', async () => {
  const page = await open()
  const { tab } = page
  await operate('PUT', '/faults/rules/lost-answer', {
    effect: { status: 503 },
    commit: 'after',
    apply: { first: 1 },
  })
  assert.equal((await create('Newsletter')).status, 503)
  await until('the line is there', async () => (await rows(page)) === 1)
  const ruled = tab.locator('main tbody tr.ruled')
  await until('the rule is named in it', async () => (await ruled.textContent()).includes('lost-answer'))
  await ruled.focus()
  await tab.keyboard.press('Enter')
  const panel = tab.locator('#panel')
  await panel.getByRole('tab', { name: 'Reason' }).click()
  await until('what was meant is shown', async () =>
    (await panel.textContent()).includes('the response would have had status 200'),
  )
  await panel.getByRole('tab', { name: 'Changed rows' }).click()
  await until('the list was made after all', async () => (await panel.textContent()).includes('Newsletter'))
  await seeAccessible(page, 'changed rows')

  const [list] = (await operate('GET', '/state/lists')).items
  const queued = await post('/contacts/v1/contacts', {
    list_id: list.uid,
    merge_type: 'allowDuplicates',
    contacts: [{ phone_number: '+447700900001' }],
    callback_url: `${here.server.url}/__hook/orders`,
  })
  assert.ok(queued.ok, String(queued.status))
  await operate('POST', '/settle', { timeout: '30000ms' })
  const called = tab.locator('main tbody tr', { hasText: `${here.server.url}/__hook/orders` })
  await until('the callback is listed', async () => (await called.count()) === 1)
  await called.focus()
  await tab.keyboard.press('Enter')
  await panel.getByRole('tab', { name: 'Callbacks' }).click()
  await panel.getByRole('link', { name: '/contacts/v1/contacts' }).click()
  await until('its request is shown', async () => (await page.text('#panel h2')).startsWith('POST /contacts'))
  await panel.getByRole('link', { name: 'Callback, attempt 1' }).click()
  await until('and the callback again', async () => (await page.text('#panel h2')).includes('/__hook/orders'))
})

test('hundreds of requests are one table, and what is looked at stays while more come in', async () => {
  const page = await open()
  const { tab } = page
  for (let at = 0; at < 600; at += 50)
    await Promise.all(Array.from({ length: 50 }, (_, n) => fetch(`${here.server.url}/no/such/${at + n}`)))
  await until('all are counted', async () => (await page.text('main .foot')).includes('600 requests'))
  await until('few are drawn', async () => (await rows(page)) < 300)
  const frame = tab.locator('main .frame')
  await tab.locator('main tbody tr[data-key]').first().focus()
  await tab.keyboard.press('End')
  await until('the last one has the focus', () =>
    tab.evaluate(() => document.activeElement?.getAttribute('aria-rowindex') === '601'),
  )
  const seen = await tab.evaluate(() => document.activeElement?.dataset.key)
  assert.equal((await create('One more')).status, 200)
  await until('it waits', () => tab.getByRole('button', { name: 'Show 1 newer request' }).count())
  await soon(async () => assert.equal(await tab.evaluate(() => document.activeElement?.dataset.key), seen))
  await tab.getByRole('button', { name: 'Show 1 newer request' }).click()
  await until('it is first', async () =>
    (await page.text('main tbody tr[data-key]')).includes('lists/create'),
  )
  await until('at the top', () => frame.evaluate((element) => element.scrollTop === 0))
})

test('a world is made, asked, looked at alone and removed', async () => {
  const page = await open()
  const { tab } = page
  await goTo(page, 'Worlds')
  await tab.getByRole('button', { name: 'Create world' }).click()
  await tab.getByLabel('Name', { exact: true }).fill('Not Good')
  await tab.locator('dialog').getByRole('button', { name: 'Create world' }).click()
  await until('the name is refused', async () =>
    (await page.texts('dialog [role=alert]')).some((text) => /\S/.test(text)),
  )
  await tab.getByLabel('Name', { exact: true }).fill('ci-7')
  await until('the line says the same', async () =>
    (await page.text('dialog [data-testid=curl]')).includes('{"name":"ci-7"}'),
  )
  await seeAccessible(page, 'making a world')
  await tab.locator('dialog').getByRole('button', { name: 'Create world' }).click()
  await until('its address is shown', async () => (await page.text('dialog')).includes('/w/ci-7'))
  await tab.locator('dialog').getByRole('button', { name: 'Close' }).last().click()
  await until('it is listed', async () => (await rows(page)) === 2)
  assert.equal((await create('Elsewhere', `${here.server.url}/w/ci-7`)).status, 200)
  assert.equal((await create('Here')).status, 200)
  const row = tab.locator('main tbody tr', { hasText: 'ci-7' })
  await row.focus()
  await tab.keyboard.press('Enter')
  await until('only its request is there', async () => (await rows(page)) === 1)
  await tab.getByRole('combobox', { name: 'World' }).selectOption('')
  await until('all of them again', async () => (await rows(page)) > 1)
  await goTo(page, 'Worlds')
  await row.click()
  await tab.getByRole('button', { name: 'Remove world' }).click()
  await tab.locator('dialog').getByRole('button', { name: 'Remove world' }).click()
  await until('it is gone', async () => (await rows(page)) === 1)
  await soon(async () => assert.equal((await operate('GET', '/worlds')).items.length, 1))
})

test('every switch does what its line says, and no line holds the token', async () => {
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await goTo(page, 'Switches')
  const token = decodeURIComponent(/#token=(.*)$/.exec(here.server.console_url)[1])
  await until('the lines are there', () => page.count('[data-testid=curl]'))
  await soon(async () => {
    for (const line of await page.texts('[data-testid=curl]')) {
      assert.ok(line.includes('$ROOST_ADMIN_TOKEN') && line.startsWith('curl '), line)
      assert.ok(!line.includes(token), 'the token stays where it is')
    }
  })
  await seeAccessible(page, 'the switches, in the dark')
  await tab.getByLabel('Profile').selectOption('outage')
  await until('the profile is armed', async () => (await operate('GET', '/faults/profile')).name === 'outage')
  assert.equal((await create('Refused')).status, 503)
  await tab.getByRole('button', { name: 'Remove all rules' }).click()
  await until('nothing is armed', async () => (await operate('GET', '/faults/rules')).items.length === 0)
  await tab.getByLabel('Hold callbacks').check()
  await until('callbacks are held', async () => (await operate('GET', '/callback_policy')).hold)
  await saw(page, '0 callbacks are held.')
  const { uid } = await (await create('Orders')).json()
  const contacts = {
    list_id: uid,
    merge_type: 'skipDuplicates',
    contacts: [{ phone_number: '+447700900001' }],
    callback_url: `${here.server.url}/__hook/orders`,
  }
  assert.equal((await post('/contacts/v1/contacts', contacts)).status, 200)
  await saw(page, '1 callback is held.')
  await tab.getByRole('button', { name: 'Release all' }).click()
  await saw(page, '0 callbacks are held.')
  await tab.getByLabel('Freeze the clock').check()
  await until('the clock stands', async () => (await operate('GET', '/clock')).mode === 'frozen')
  const { now } = await operate('GET', '/clock')
  await tab.getByLabel('Advance by').fill('2h')
  await tab.getByRole('button', { name: 'Advance', exact: true }).click()
  await until('it was moved', async () => {
    const later = Date.parse((await operate('GET', '/clock')).now)
    return later - Date.parse(now) === 2 * 3_600_000
  })
  await tab.getByLabel('Jobs run').selectOption('manual')
  await tab
    .locator('section', { hasText: 'Contact jobs' })
    .last()
    .getByRole('button', { name: 'Set' })
    .click()
  await until('jobs wait', async () => (await operate('GET', '/job_policy')).progress === 'manual')
  await tab.getByLabel('Limit requests per second').last().check()
  await until('requests are limited', async () => (await operate('GET', '/limits')).enabled)
})

test('a snapshot shows what a test changed, and restores the earlier state', async () => {
  const page = await open()
  const { tab } = page
  await goTo(page, 'Snapshots')
  await saw(page, 'No snapshots yet')
  await tab.getByLabel('Name', { exact: true }).fill('before')
  await tab.getByRole('button', { name: 'Take snapshot' }).click()
  await saw(page, 'No differences.')
  assert.equal((await create('Newsletter')).status, 200)
  await until('the new list is shown', async () =>
    (await page.text('main table:not([role])')).includes('Newsletter'),
  )
  await seeAccessible(page, 'what differs')
  await tab.locator('main tbody tr[data-key=before]').click()
  await tab.getByRole('button', { name: 'Restore' }).click()
  await tab.locator('dialog').getByRole('button', { name: 'Restore' }).click()
  await saw(page, 'No differences.')
  await soon(async () => assert.equal((await operate('GET', '/state/lists')).items.length, 0))
  await tab.locator('main tbody tr[data-key=before]').click()
  await tab.keyboard.press('Delete')
  await tab.locator('dialog').getByRole('button', { name: 'Delete snapshot' }).click()
  await saw(page, 'No snapshots yet')
})
