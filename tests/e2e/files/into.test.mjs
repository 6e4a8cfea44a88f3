// The target of an import: the name of a new list follows the usual rule, and an account without lists gets one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach } from '../support/console.mjs'
import { drop } from '../support/files.mjs'
import { alerts, at, openAt, step } from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const FILE = {
  name: 'spring.csv',
  base64: Buffer.from('Phone\n07700 900011\n07700 900012\n').toString('base64'),
}

async function open() {
  const page = await openAt(here, '#/import')
  await drop(page.tab, 'main', [FILE])
  await at(page, 'source')
  await page.tab.locator('main table tbody tr').first().waitFor()
  return page
}
const name = (page) => page.tab.getByRole('textbox', { name: 'Name of the new list' })
const radio = (page, title) => page.tab.getByRole('radio', { name: title })

test('without a list, a new one is offered by the name of the file; a name that is too long is refused', async () => {
  const page = await open()
  const { tab } = page
  await until('a new list is preselected', () => radio(page, 'A new list').isChecked())
  await soon(async () => assert.equal(await name(page).inputValue(), 'spring'))

  await name(page).fill('n'.repeat(131))
  await until('the fault stands at the field', async () =>
    (await alerts(page)).includes('Shorten the name by 11 characters.'),
  )
  await soon(async () => assert.equal(await name(page).getAttribute('aria-invalid'), 'true'))
  await tab.keyboard.press('Control+Enter')
  await page.rest()
  assert.equal(await step(page), 'source')

  // The last typed text counts, however soon the user goes on.
  await name(page).fill('Summer guests')
  await tab.keyboard.press('Control+Enter')
  await at(page, 'mapping')
  await soon(async () => assert.equal(await page.text('main h1'), 'Import into “Summer guests”'))
  assert.match((await page.texts('main footer')).join(), /These rows have not been imported yet\./)
})

test('an account with lists is asked which one', async () => {
  await here.call('list_create', { name: 'Newsletter' })
  const page = await open()
  await until('an existing list is preselected', () => radio(page, 'An existing list').isChecked())
})
