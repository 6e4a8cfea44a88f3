// The result of an import in Chromium: rows in the order of the file, its columns in view, and no leftover request to
// go on.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { openView } from '../support/commands.mjs'
import { consoleForEach } from '../support/console.mjs'
import { column } from '../support/grid.mjs'
import { at, dropped, goesInto, mapped, openList, rehearsed } from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { call } = here
let list

const WIDE = { viewport: { width: 1800, height: 900 }, locale: 'en-GB' }
const FILE = [
  'Phone,First name,Address line 2,Born,Opted out',
  '07700900005,Zoe,Flat 1,1950-02-01,no',
  '07700900001,Ada,Flat 2,1999-12-31,yes',
  '07700900003,Max,,,no',
].join('\n')

beforeEach(async () => (list = (await call('list_create', { name: 'Spring' })).uid))

/** Imports a file with this text, after `map` has changed its columns. */
async function imported(page, name, text, map) {
  await dropped(page, { name, text })
  await mapped(page)
  await map?.()
  await rehearsed(page)
  await page.press('Control+Enter')
  await at(page, 'accept')
}

test('the list opens in the order of the file, with the columns that were imported', async () => {
  const page = await openList(here, list, WIDE)
  const { tab } = page
  await imported(page, 'people.csv', FILE.replaceAll(/,[^,]*$/gm, ''), async () => {
    await goesInto(page, 2).selectOption({ label: 'Address line 2' })
    await goesInto(page, 3).selectOption({ label: 'Date of birth' })
  })
  await tab.getByRole('button', { name: 'Import 3 contacts' }).click()
  await tab.getByRole('heading', { name: 'Imported 3 contacts into “Spring”' }).waitFor()
  await tab.getByRole('button', { name: 'Open the list' }).click()
  await until(
    'the rows are in the order of the file',
    async () => (await column(page, 'First name')).join() === 'Zoe,Ada,Max',
  )
  await soon(async () => assert.deepEqual(await column(page, 'Address line 2'), ['Flat 1', 'Flat 2', '']))
  await soon(async () =>
    assert.deepEqual(await column(page, 'Date of birth'), ['1 Feb 1950', '31 Dec 1999', '']),
  )
  // Rows that the user arranged have the same order for other programs.
  await tab.getByRole('grid').focus()
  const { view } = await openView(call, list)
  const copied = await call.text('grid_copy', { view, rows: [[0, 3]], columns: ['firstname'], headings: [] })
  assert.equal(copied.trim().split(/\r?\n/).join(), 'Zoe,Ada,Max')
})

test('a file with the same columns does not overwrite because the last one did', async () => {
  const page = await openList(here, list, WIDE)
  const { tab } = page
  const rule = tab.getByLabel('Existing values')
  const first = 'Phone,First name\n07700900001,Ada\n'
  await imported(page, 'one.csv', first, async () => {
    await rule.selectOption('always')
  })
  await tab.getByRole('button', { name: 'Import 1 contact' }).click()
  await tab.getByRole('heading', { name: 'Imported 1 contact into “Spring”' }).waitFor()
  await tab.getByRole('button', { name: 'Open the list' }).click()
  await tab.getByRole('grid').waitFor()
  await dropped(page, { name: 'two.csv', text: 'Phone,First name\n07700900001,Someone\n' })
  await mapped(page)
  await tab.getByText('Same as last time').waitFor()
  await soon(async () => assert.equal(await rule.inputValue(), 'if_blank'))
})
