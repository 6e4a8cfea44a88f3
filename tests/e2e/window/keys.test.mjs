// Keys of the keyboard in the real window. They pass the toolkit and its menu bar before they reach the page.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin, names } from '../support/journeys.mjs'
import { ownFolder, sleep, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow } from '../support/window/open.mjs'
import { pressOnScreen } from '../support/window/screen.mjs'

let screen
let folder
let page

before(async () => (screen = await startScreen()))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  page = await openWindow({ display: screen.display, folder: folder.path })
  await begin(page)
})
afterEach(async () => {
  await page?.close()
  await folder.remove()
})

const hash = () => page.run('return location.hash')
const search = () => page.value('main input[type=search]')

test('keys that the menus show edit the text of a field, and act once elsewhere', async () => {
  for (const name of ['First', 'Second', 'Third']) await page.call('list_create', { name })
  // The menus are drawn a moment after the page.
  await sleep(700)
  await pressOnScreen(screen, 'ctrl+2')
  await until('the key leads to the lists', async () => (await hash()) === '#/lists')
  await until('the lists are shown', async () => (await names(page)).length === 3)

  await pressOnScreen(screen, 'ctrl+f')
  await until('the search has the focus', () => page.run(`return document.activeElement?.type === 'search'`))
  await pressOnScreen(screen, 't', 'h', 'i')
  await until('the search has the keys', async () => (await search()) === 'thi')
  await pressOnScreen(screen, 'ctrl+z')
  await until('the typed text is undone', async () => (await search()) !== 'thi')
  await pressOnScreen(screen, 'ctrl+a', 'Delete')
  await until('the field is empty', async () => (await search()) === '')
  await until('all lists are shown again', async () => (await names(page)).length === 3)

  await page.run(`document.querySelector('main tbody tr').focus()`)
  await pressOnScreen(screen, 'ctrl+z')
  await until('one act is undone', async () => (await names(page)).length < 3)
  await sleep(300)
  await soon(async () => assert.deepEqual((await names(page)).toSorted(), ['First', 'Second']))
  await pressOnScreen(screen, 'ctrl+shift+z')
  await until('it is done again', async () => (await names(page)).length === 3)
})
