// The differences between two states in Chromium: a slider over the requests of the journal, the tables below it, and
// what is arranged besides the records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { post, operate } = asksOf(here)

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/server"]').click()
  await page.tab.getByRole('tab', { name: 'Snapshots' }).click()
  await until('the snapshots are there', () =>
    page.tab.getByRole('tab', { name: 'Snapshots', selected: true }).count(),
  )
  return page
}

const create = async (name) => {
  const answer = await post('/contacts/v1/lists/create', { name })
  assert.ok(answer.ok, String(answer.status))
}
const added = (page) => page.texts('section[aria-labelledby=server-diff] tbody td:last-child')
const slider = (page, name) => page.tab.getByRole('slider', { name })

test('a slider over the journal shows the state at any request, and what two of them differ in', async () => {
  for (const name of ['First', 'Second', 'Third']) await create(name)
  const page = await open()
  const { tab } = page
  await until('the slider is there', () => slider(page, 'From').count())
  await soon(async () =>
    assert.equal(await slider(page, 'From').getAttribute('aria-valuetext'), 'Before the first request'),
  )
  await soon(async () =>
    assert.deepEqual(
      (await added(page)).filter((name) => name !== ''),
      ['First', 'Second', 'Third'],
    ),
  )
  await seeAccessible(page, 'differences from a request')
  const { last } = await operate('GET', '/requests?limit=1')
  await slider(page, 'From').fill(String(last - 1))
  await soon(async () =>
    assert.deepEqual(
      (await added(page)).filter((name) => name !== ''),
      ['Third'],
    ),
  )
  await soon(async () =>
    assert.match(
      await slider(page, 'From').getAttribute('aria-valuetext'),
      /: POST \/contacts\/v1\/lists\/create, 200, /,
    ),
  )
  await tab.getByRole('combobox', { name: 'To' }).selectOption('@')
  await slider(page, 'From').fill(String(last - 2))
  await slider(page, 'To').fill(String(last - 1))
  await soon(async () =>
    assert.deepEqual(
      (await added(page)).filter((name) => name !== ''),
      ['Second'],
    ),
  )
  const line = await tab.locator('section[aria-labelledby=server-diff]').textContent()
  assert.ok(line.includes(`/snapshots/@${last - 2}/diff/@${last - 1}`), line)
  await slider(page, 'From').focus()
  await page.press('ArrowRight')
  await soon(async () => assert.equal(await page.text('[data-testid=diff]'), 'No differences.'))
  await soon(async () =>
    assert.match(await page.text('section[aria-labelledby=server-diff]'), /Only records are compared/),
  )
})

test('settings, policies, rules, receivers and the clock are compared, too', async () => {
  await operate('POST', '/snapshots', { name: 'before' })
  const page = await open()
  const { tab } = page
  await soon(async () => assert.equal(await page.text('[data-testid=diff]'), 'No differences.'))
  await operate('PATCH', '/settings', { 'limits.per_second': 7 })
  await operate('PUT', '/job_policy', { progress: 'manual' })
  await operate('PUT', '/callback_policy', { hold: true })
  await operate('PUT', '/hooks/inbox', { answers: [500] })
  await operate('POST', '/faults/rules', { name: 'down', effect: { status: 503 } })
  await operate('PUT', '/clock', { mode: 'frozen' })
  const table = tab.locator('section[aria-labelledby=server-diff] table', {
    hasText: 'Settings, policies, rules, receivers, clock and more',
  })
  const rows = () =>
    table
      .locator('tbody tr')
      .evaluateAll((lines) => lines.map((line) => [...line.cells].map((cell) => cell.textContent.trim())))
  await soon(async () =>
    assert.deepEqual(
      (await rows()).map(([part, name]) => [part, name]),
      [
        ['Settings', 'limits.per_second'],
        ['Contact jobs', 'progress'],
        ['Callbacks', 'hold'],
        ['Faults and latency', 'down'],
        ['Receivers', 'inbox'],
        ['Clock', 'mode'],
      ],
    ),
  )
  const values = (await rows()).map(([, , before, after]) => [before, after])
  assert.deepEqual(
    [values[0], values[1], values[2], values[5]],
    [
      ['10', '7'],
      ['immediate', 'manual'],
      ['false', 'true'],
      ['real', 'frozen'],
    ],
  )
  assert.equal(values[3][0], '')
  assert.match(values[3][1], /"status":503/)
  assert.match(values[4][1], /"status":500/)
  await seeAccessible(page, 'what is arranged')
})

test('a rule that never fires says why in the table of rules', async () => {
  await operate('POST', '/faults/rules', { name: 'down', effect: { status: 503 } })
  const page = await here.open({ colorScheme: 'dark' })
  const { tab } = page
  await tab.locator('nav a[href="#/server"]').click()
  await tab.getByRole('tab', { name: 'Switches' }).click()
  await until('the rule is there', () => tab.getByRole('rowheader', { name: 'down' }).count())
  assert.equal(await page.count('[data-testid=rule-warning]'), 0)
  await operate('POST', '/faults/rules', {
    name: 'never',
    match: { operation: 'lists.create' },
    effect: { status: 500 },
  })
  await soon(async () =>
    assert.deepEqual(await page.texts('[data-testid=rule-warning]'), [
      "The rule 'down' is tried first and always fires on these requests, so this one never does.",
    ]),
  )
  await seeAccessible(page, 'a rule that never fires')
})
