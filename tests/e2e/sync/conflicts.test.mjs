// Conflicts with the service, in Chromium: resolved by keys and by mouse, one by one, in groups, by a rule, or as a
// whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { testNeeding } from '../support/console.mjs'
import { at, cell, titleOf } from '../support/grid.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, contactsThere, listThere, pull, rest, upload } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')
const it = testNeeding('played answers')

const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara']
const number = (name) => `+44770090000${NAMES.indexOf(name)}`

/** Changes the same contacts on both sides: `here` and `there` are fields by name. */
async function disputed(here, there, gone = []) {
  const list = await listThere(
    pair.service,
    'Newsletter',
    NAMES.map((firstname) => ({
      phone_number: number(firstname),
      firstname,
      city: 'Leeds',
      zip: 'LS1',
    })),
  )
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const uid = Object.fromEntries(
    (await contactsThere(pair.service, list)).map((one) => [one.firstname, one.uid]),
  )
  for (const [name, fields] of Object.entries(here))
    await pair.call('contact_update', { uid: uid[name], fields, region: null })
  const changed = Object.entries(there).map(([name, fields]) => ({
    phone_number: number(name),
    ...fields,
  }))
  if (changed.length > 0) await upload(pair.service, list, changed)
  for (const name of gone) await rest(pair.service, 'DELETE', `/contacts/v1/contacts/${uid[name]}`)
  await pull(pair.call)
  return {
    list,
    valuesOf: async (name) => (await pair.call('contact_get', { uid: uid[name] })).values,
  }
}

async function open(options) {
  const page = await pair.open(options)
  await page.run('location.hash = "#/sync/conflicts"')
  return page
}
const left = (page, words) =>
  until(words, async () => (await page.text('[data-testid=conflicts-left]')) === words)
const title = (page) => page.text('#dispute-title')
const shows = (page, name) => until(`${name} is shown`, async () => (await title(page)) === name)
const result = (page, field) => page.text(`[data-field=${field}] .result bdi, [data-field=${field}] .open`)

test('a cell in conflict has a mark of its own and names the value of the service', async () => {
  const { list } = await disputed(
    { Ada: { firstname: 'Augusta' }, Grace: { firstname: 'Amazing' } },
    { Ada: { firstname: 'Countess' } },
  )
  const page = await at(pair, list)
  const classOf = async (name) => (await cell(page, name, 'First name')).getAttribute('class')
  await soon(async () => assert.match(await classOf('Augusta'), /\bconflict\b/))
  assert.match(await classOf('Amazing'), /\bchanged\b/)
  const conflict = await cell(page, 'Augusta', 'First name')
  await conflict.hover()
  await soon(async () => assert.equal(await titleOf(conflict), 'In conflict: the service has Countess'))
  await conflict.click()
  await until('the status bar says so', async () =>
    (await page.text('[data-testid=selection]')).includes('In conflict: the service has Countess'),
  )
})

test('each field is decided by a key, and the next record follows a decided one', async () => {
  const { valuesOf } = await disputed(
    {
      Ada: { city: 'York', zip: 'YO1' },
      Grace: { city: 'York' },
      Alan: { city: 'York' },
      Edsger: { city: 'York' },
    },
    {
      Ada: { city: 'Hull', zip: 'HU1' },
      Grace: { city: 'Hull' },
      Alan: { city: 'Hull' },
      Edsger: { city: 'Hull' },
    },
  )
  const page = await open()
  const { tab } = page
  await left(page, '4 conflicts to resolve')
  await shows(page, 'Ada')
  await seeAccessible(page, 'a dispute')
  await matchAria(page, 'sync/conflicts')

  await tab.keyboard.press('1')
  await until('the city is decided', async () => (await result(page, 'city')) === 'York')
  await soon(async () => assert.equal(await title(page), 'Ada'))
  await until('the next field is meant', () =>
    page.run('return document.activeElement.closest("tr")?.dataset.field === "zip"'),
  )
  await tab.keyboard.press('ArrowUp')
  await tab.keyboard.press('Enter')
  await until('the same again takes it back', async () => (await result(page, 'city')) === 'Not decided')
  await tab.keyboard.press('1')
  await until('the city is decided again', async () => (await result(page, 'city')) === 'York')
  await tab.keyboard.press('2')
  await left(page, '3 conflicts to resolve')
  await shows(page, 'Grace')
  await until('it is shown', async () =>
    (await page.text('[data-testid=announcement]')).startsWith('Resolved 1 record'),
  )
  await soon(async () =>
    assert.deepEqual([(await valuesOf('Ada')).city, (await valuesOf('Ada')).zip], ['York', 'HU1']),
  )

  await tab.keyboard.press('n')
  await shows(page, 'Alan')
  await tab.keyboard.press('p')
  await shows(page, 'Grace')
  await tab.keyboard.press('3')
  await left(page, '2 conflicts to resolve')
  await soon(async () => assert.equal((await valuesOf('Grace')).city, 'Leeds'))
  await shows(page, 'Alan')
  await tab.keyboard.press('e')
  await tab.getByRole('textbox', { name: 'Your own value for City' }).waitFor()
  await seeAccessible(page, 'an own value')
  await tab.keyboard.press('Control+a')
  await tab.keyboard.type('Bath')
  await tab.keyboard.press('Enter')
  await left(page, '1 conflict to resolve')
  await soon(async () => assert.equal((await valuesOf('Alan')).city, 'Bath'))
  await tab.getByRole('button', { name: 'City, Service: Hull' }).click()
  await tab.getByRole('heading', { name: 'No conflicts' }).waitFor()
  await seeAccessible(page, 'no conflicts')
  await soon(async () => assert.equal((await valuesOf('Edsger')).city, 'Hull'))
  assert.deepEqual(page.complaints, [])
})

test('disputes about the same are decided alike, or by a rule, in the dark too', async () => {
  const { valuesOf } = await disputed(
    {
      Ada: { city: 'York' },
      Grace: { city: 'York', zip: 'YO1' },
      Alan: { zip: 'YO10' },
      Edsger: { zip: 'Y' },
    },
    {
      Ada: { city: 'Hull' },
      Grace: { city: 'Hull', zip: 'HU1' },
      Alan: { zip: 'HU1' },
      Edsger: { zip: 'HU1' },
    },
  )
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await left(page, '4 conflicts to resolve')
  await tab.keyboard.press('Shift+Digit2')
  await tab.getByRole('heading', { name: 'Decide 2 records the same way?' }).waitFor()
  await seeAccessible(page, 'the question')
  await tab.keyboard.press('Escape')
  await until('nothing was done', async () => (await page.count('dialog')) === 0)
  await soon(async () =>
    assert.equal(await page.text('[data-testid=conflicts-left]'), '4 conflicts to resolve'),
  )
  await tab.keyboard.press('Shift+Digit2')
  await tab.getByRole('button', { name: 'Decide 2 records' }).press('Enter')
  await left(page, '3 conflicts to resolve')
  await soon(async () => assert.equal((await valuesOf('Ada')).city, 'Hull'))

  await tab.getByLabel('Show').selectOption('zip')
  await until(
    'what each is about is shown',
    async () => (await page.text('[data-testid=conflicts-list] .about')) === 'Here YO1, at the service HU1',
  )
  await tab.getByRole('button', { name: 'Rules…' }).click()
  const rule = tab.getByLabel('Rule for Postcode')
  await rule.waitFor()
  await seeAccessible(page, 'the rules')
  await matchAria(page, 'sync/conflicts-rules', 'dialog')
  await rule.selectOption({ label: 'Use the longer value (resolves 2)' })
  await tab.getByText('Resolved 2 records; 1 left.').first().waitFor()
  await tab.getByRole('button', { name: 'Close' }).last().click()
  await left(page, '1 conflict to resolve')
  await soon(async () =>
    assert.deepEqual([(await valuesOf('Alan')).zip, (await valuesOf('Edsger')).zip], ['YO10', 'HU1']),
  )
  await shows(page, 'Grace')
})

it('a record deleted there is decided as a whole, even while the service is down; a failed request can be repeated', async () => {
  const { valuesOf } = await disputed({ Ada: { city: 'York' }, Grace: { city: 'York' } }, {}, [
    'Ada',
    'Grace',
  ])
  const page = await open()
  const { tab } = page
  await left(page, '2 conflicts to resolve')
  await shows(page, 'Ada')
  await tab.getByText('someone deleted it at the service').waitFor()
  await seeAccessible(page, 'a record that is gone there')
  await matchAria(page, 'sync/conflicts-gone', '[data-testid=conflict]')
  await pair.service.cut()

  const call = '**/__console/call/conflicts_answer'
  await tab.route(call, (route) =>
    route.fulfill({
      status: 500,
      json: { code: 'internal', message: 'It was not kept.', details: [] },
    }),
  )
  await tab.keyboard.press('1')
  await tab.getByTestId('toast').getByText('It was not kept.').waitFor()
  await soon(async () => assert.equal(await title(page), 'Ada'))
  await tab.unroute(call)
  await tab.keyboard.press('1')
  await left(page, '1 conflict to resolve')
  await soon(async () => assert.equal((await valuesOf('Ada')).city, 'York'))
  await shows(page, 'Grace')
  await tab.getByRole('button', { name: /^Delete it here too/ }).click()
  await tab.getByRole('heading', { name: 'No conflicts' }).waitFor()
  await tab.getByRole('button', { name: 'Show the changes' }).click()
  await until('Ada waits to be made again', async () =>
    (await page.texts('main tbody th')).join().includes('Ada'),
  )

  const asking = '**/__console/call/conflicts_page'
  await tab.route(asking, (route) =>
    route.fulfill({
      status: 500,
      json: { code: 'internal', message: 'It did not turn.', details: [] },
    }),
  )
  await page.run('location.hash = "#/sync/conflicts"')
  const fault = tab.locator('main [role=alert]', {
    hasText: 'It did not turn.',
  })
  await fault.waitFor()
  await seeAccessible(page, 'the fault')
  await tab.unroute(asking)
  await fault.getByRole('button').click()
  await tab.getByRole('heading', { name: 'No conflicts' }).waitFor()
})

test('an opt-out that the service lost is removed with its count and a reason, at once', async () => {
  const optOut = { number: number('Grace'), channel: 'SMS' }
  const other = { number: number('Alan'), channel: 'SMS' }
  for (const one of [optOut, other])
    await rest(pair.service, 'POST', '/contacts/v1/optouts', {
      optouts: [one],
    })
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const removal = {
    channel: 'SMS',
    account_level_opt_out: true,
    numbers: [optOut.number],
  }
  await rest(pair.service, 'DELETE', '/contacts/v1/optouts', removal)
  await pull(pair.call)
  const page = await open()
  const { tab } = page
  await shows(page, `${optOut.number} on SMS`)
  await tab.getByRole('button', { name: /^Remove the opt-out here too/ }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove 1 opt-out' }).click()
  await dialog.getByText('Type 1, the number of opt-outs to remove.').waitFor()
  await dialog.getByText('Enter a reason, so that you can prove the consent later.').waitFor()
  await seeAccessible(page, 'the removal')
  const readTimeline = () => pair.call('opt_out_timeline', { number: optOut.number, region: null })
  assert.equal((await readTimeline()).records.length, 1)
  await dialog.getByLabel('Type 1, the number of opt-outs to remove, to confirm').fill('1')
  await dialog.getByLabel('Reason').fill('Asked by telephone')
  await dialog.getByRole('button', { name: 'Remove 1 opt-out' }).click()
  await tab.getByRole('heading', { name: 'No conflicts' }).waitFor()
  const { records, events } = await readTimeline()
  assert.equal(records.length, 0)
  assert.equal(events[0].reason, 'Asked by telephone')
  assert.equal(events[0].source, 'user')
})

test('opt-outs that the service lost are answered one after the other, or all at once', async () => {
  const numbers = NAMES.map(number)
  for (const one of numbers)
    await rest(pair.service, 'POST', '/contacts/v1/optouts', { optouts: [{ number: one, channel: 'SMS' }] })
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const removal = { channel: 'SMS', account_level_opt_out: true, numbers: numbers.slice(0, 4) }
  await rest(pair.service, 'DELETE', '/contacts/v1/optouts', removal)
  await pull(pair.call, { believe: true })
  const page = await open()
  const { tab } = page
  await shows(page, `${numbers[0]} on SMS`)
  const firstLine = (await tab.getByTestId('conflicts-list').getByRole('option').first().innerText()).trim()
  assert.match(firstLine, /^\+447700900000\s+SMS · Opt-out removed at the service$/)
  await tab.keyboard.press('1')
  await shows(page, `${numbers[1]} on SMS`)
  await seeAccessible(page, 'several lost opt-outs')
  await tab.getByRole('button', { name: 'Opt out all 3 again at the service' }).click()
  await left(page, '0 conflicts to resolve')
  const { rows } = await pair.call('conflicts_page', { noun: null, field: null, from: 0, count: 9 })
  assert.deepEqual([...new Set(rows.map(({ choice }) => choice))], ['create_again'])
  await tab.getByRole('button', { name: /^Opt out all/ }).waitFor({ state: 'detached' })
})
