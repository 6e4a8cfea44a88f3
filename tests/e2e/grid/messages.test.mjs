// Messages of the page are true and say what is wrong: about a replacement, a refused row, an act and its undo.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach, testNeeding } from '../support/console.mjs'
import { at, cell, listOf, row, titleOf } from '../support/grid.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const it = testNeeding('played answers')
const PEOPLE = [
  { number: 20, firstname: 'Ann', city: 'York' },
  { number: 21, firstname: 'Bob', city: 'York' },
]
const toasts = (page) => page.texts('[data-testid=toast] .text')

async function open() {
  const page = await at(here, await listOf(here, 'Newsletter', PEOPLE))
  await until('the rows have the keys', () =>
    page.run(`return document.activeElement?.getAttribute('role') === 'grid'`),
  )
  return page
}

test('a replacement counts the cells that become invalid among those that change', async () => {
  const page = await open()
  const { tab } = page
  await (await cell(page, '900020', 'Phone number')).click()
  await tab.keyboard.press('Control+h')
  const dialog = tab.locator('dialog[open]')
  await dialog.getByLabel('Find', { exact: true }).fill('+4477009')
  await dialog.getByLabel('Replace with').fill('x')
  await dialog.getByRole('button', { name: 'Change 2 cells' }).waitFor()
  const preview = await page.text('dialog .preview')
  assert.match(preview, /^2 (?:of \d+ )?cells change\./)
  assert.match(preview, /2 cells would have invalid values/)
})

test('the head of a refused row says what is wrong', async () => {
  const page = await open()
  const { tab } = page
  await (await cell(page, '900020', 'Phone number')).click()
  await tab.keyboard.type('12')
  await tab.keyboard.press('Enter')
  const lead = row(page, 'Ann').locator('[role=rowheader]')
  await until('the row is refused', async () => (await lead.textContent()).includes('!'))
  await lead.hover()
  await until('the reason is shown', async () =>
    ((await titleOf(lead)) ?? '').includes('is not a valid phone number'),
  )
  await tab.mouse.move(5, 5)
  await until('the words are those of the row again', async () =>
    ((await lead.getAttribute('title')) ?? '').startsWith('invalid'),
  )
})

test('a message disappears when the opposite message appears', async () => {
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Control+h')
  const dialog = tab.locator('dialog[open]')
  await dialog.getByLabel('Find', { exact: true }).fill('York')
  await dialog.getByLabel('Replace with').fill('Bath')
  await dialog.getByRole('button', { name: 'Change 2 cells' }).click()
  await until('it is shown', async () => (await toasts(page)).join().includes('Changed 2 cells'))
  await tab.keyboard.press('Control+z')
  await until('the undo is shown', async () => (await toasts(page)).join().includes('Undone'))
  await soon(async () => assert.equal((await toasts(page)).length, 1, (await toasts(page)).join(' | ')))
})

it('undoing a run shows its progress', async () => {
  const page = await here.open()
  const { tab } = page
  const summary = { id: 4, plan: 7, state: 'done', started_at: '2026-11-22T10:00:00Z', ended_at: '2026-11-22T10:01:00Z', why: null, step_count: 0, rows: 1, requests: 1, refused: 0 } // prettier-ignore
  const counts = { waiting: 0, sent: 0, accepted: 0, verified: 1, rejected: 0, uncertain: 0, cancelled: 0 }
  const shown = { ...summary, is_at_work: false, steps: [], counts, lanes: [], current: null, rows_per_second: null, seconds_left: null } // prettier-ignore
  const answers = { run_get: shown, run_undo_preview: { count: 1, lost: [], lost_count: 0 } }
  for (const [name, answer] of Object.entries(answers))
    await tab.route(new RegExp(`/call/${name}$`), (route) => route.fulfill({ json: answer }))
  // The undo takes a while.
  await tab.route(/\/call\/run_undo$/, () => undefined)
  await tab.evaluate(() => (location.hash = '#/sync/runs/4'))
  await tab.getByRole('button', { name: 'Undo…' }).click()
  await tab.locator('dialog[open]').getByRole('button', { name: 'Undo and show plan' }).click()
  await tab
    .locator('dialog[open]')
    .getByRole('progressbar', { name: 'Undoing and making the plan…' })
    .waitFor()
})
