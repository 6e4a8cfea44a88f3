// Text that is being typed is not lost, whichever way leads away from it.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin } from '../support/journeys.mjs'
import { ownFolder, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow } from '../support/window/open.mjs'

const NUMBERS = 'dialog[open] textarea'
let screen
let folder
let open

before(async () => (screen = await startScreen()))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  open = []
})
afterEach(async () => {
  for (const page of open) await page.close()
  await folder.remove()
})

async function window() {
  const page = await openWindow({ display: screen.display, folder: folder.path })
  open.push(page)
  return page
}

async function listOfOne(page) {
  const { uid } = await page.call('list_create', { name: 'Spring' })
  const contacts = [{ phone_number: '+447700900010', firstname: 'Ann', lastname: 'Lee' }]
  await page.call('contact_paste', { list: uid, contacts, region: null })
  return uid
}

/** Opens the list and types a first name into a cell, without Enter. */
async function typeName(page, list, name) {
  await page.run('location.hash = arguments[0]', `#/lists/${list}`)
  await until('the rows have the keys', () =>
    page.run(`return document.activeElement?.getAttribute('role') === 'grid'`),
  )
  for (const key of ['Control+Home', 'ArrowRight', 'ArrowRight']) await page.press(key)
  await until('the first name has the focus', () =>
    page.run(`
      const cell = document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))
      const column = cell?.getAttribute('aria-colindex')
      return document.querySelector('[role=columnheader][aria-colindex="' + column + '"] .title')?.textContent === 'First name'`),
  )
  await page.type(name)
  await until('the field has it', async () => (await page.value('.editor textarea')) === name)
}

const nameOf = async (page, list) => {
  const shown = { page_number: 1, page_size: 1, sort: null, filter: null, opted_out: null }
  return (await page.call('contact_page', { list, ...shown })).items[0].values.firstname
}

test('a key that leads to another screen saves the cell that is being edited', async () => {
  const page = await window()
  await begin(page)
  const list = await listOfOne(page)
  for (const [chord, name] of [
    ['Control+Digit1', 'Bea'],
    ['Control+Digit4', 'Cleo'],
    ['Control+i', 'Dora'],
    ['Control+BracketLeft', 'Eve'],
  ]) {
    await typeName(page, list, name)
    await page.press(chord)
    await until('the rows are gone', async () => (await page.count('[role=grid]')) === 0)
    await until(`${chord} saves ${name}`, async () => (await nameOf(page, list)) === name)
  }
})

test('quitting saves the cell that is being edited, without a question', async () => {
  const page = await window()
  await begin(page)
  const list = await listOfOne(page)
  await typeName(page, list, 'Bea')
  await page.press('Control+q').catch(() => undefined)
  await until('the program has ended', async () =>
    page.count('body').then(
      () => false,
      () => true,
    ),
  )
  open = []
  await page.close()
  const again = await window()
  await until('the account is open', () => again.count('#sidebar'))
  assert.equal(await nameOf(again, list), 'Bea')
})

test('a restore asks first where another window has unsaved text', async () => {
  const page = await window()
  await begin(page)
  await page.call('account_back_up')
  await page.press('Control+Shift+n')
  await page.toOtherWindow()
  await until('the second window is ready', () => page.count('#sidebar'))
  await page.run("location.hash = '#/optouts'")
  await page.tab.locator('main').getByRole('button', { name: 'Add opt-outs…' }).first().click()
  await until('the dialog is open', () => page.count(NUMBERS))
  await page.fill(NUMBERS, '+447700900012')

  await page.toOtherWindow()
  await page.run("location.hash = '#/safety'")
  await page.tab
    .locator('main')
    .getByRole('button', { name: /^Restore the copy of/ })
    .first()
    .click()
  const act = page.tab.locator('dialog[open]')
  await act.getByRole('button', { name: 'Restore', exact: true }).click()
  await act.getByRole('button', { name: 'Keep editing' }).click()

  await page.toOtherWindow()
  assert.equal(await page.value(NUMBERS), '+447700900012')
  await page.toOtherWindow()
  await act.getByRole('button', { name: 'Restore', exact: true }).click()
  await act.getByRole('button', { name: 'Discard text and switch' }).click()
  await until('the account is restored', async () =>
    (await page.texts('[data-testid=toast] .text')).some((text) => text.startsWith('Restored the copy')),
  )
  await page.toOtherWindow()
  await until('the second window says what was lost', async () =>
    (await page.texts('[data-testid=toast] .text')).some((text) =>
      /unsaved text .* was discarded/.test(text),
    ),
  )
})
