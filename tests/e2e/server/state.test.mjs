// The differences between two states in Chromium: a slider over the requests of the journal, and the table below it.
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
})
