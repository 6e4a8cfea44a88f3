// The real window, on a screen of its own and an account of its own.
import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import {
  createList,
  names,
  overviewCount,
  refuseBadNames,
  seeFault,
  seeFreshAccount,
  seeOverview,
  sortAndFilter,
} from './support/journeys.mjs'
import { ownFolder, picture, until } from './support/places.mjs'
import { startScreen } from './support/processes.mjs'
import { openWindow } from './support/window.mjs'

const BIRDS = '🐦'.repeat(30)
let screen
let folder
let open

before(async () => (screen = await startScreen()))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  open = []
})
afterEach(async () => {
  for (const page of open) await page.close()
  await folder.remove()
})

async function window() {
  const page = await openWindow({
    display: screen.display,
    folder: folder.path,
  })
  open.push(page)
  return page
}

async function close(page) {
  open = open.filter((other) => other !== page)
  await page.close()
}

test('a fresh account is shown, and a list made in the window is there after a restart', async () => {
  const first = await window()
  await seeFreshAccount(first)
  await createList(first, 'Newsletter', 1)
  await createList(first, 'é'.repeat(120), 2)
  await createList(first, `Birds ${BIRDS}`, 3)
  assert.equal(await first.text('[data-testid=transport]'), 'This computer')
  await refuseBadNames(first)
  await sortAndFilter(first)
  await first.screenshot(await picture('window'))
  await close(first)

  const second = await window()
  await seeOverview(second)
  assert.equal(await overviewCount(second, 'lists'), '3')
  await second.press('Control+2')
  await until('the lists are there', async () => (await names(second)).includes('é'.repeat(120)))
  assert.deepEqual((await readdir(join(folder.path, 'account'))).includes('account.roost'), true)
})

test('a second window on the same account says so, and opens it when the first has gone', async () => {
  const first = await window()
  await seeFreshAccount(first)
  await createList(first, 'Newsletter', 1)
  const second = await window()
  await seeFault(second, 'locked')
  await second.screenshot(await picture('window-locked'))
  await second.click('main button')
  await until('it tried again', async () => (await second.text('main button')) === 'Try again')
  await seeFault(second, 'locked')
  await close(first)
  await second.click('main button')
  await seeOverview(second)
  assert.equal(await overviewCount(second, 'lists'), '1')
  await createList(second, 'Made after the wait', 2)
})

test('a damaged account is set aside, never deleted, and the window says so', async () => {
  await mkdir(join(folder.path, 'account'))
  await writeFile(join(folder.path, 'account', 'account.roost'), 'no database at all '.repeat(500))
  const page = await window()
  await seeFault(page, 'corrupt')
  await page.screenshot(await picture('window-corrupt'))
  const kept = await readdir(join(folder.path, 'account'))
  assert.ok(
    kept.some((name) => /^account\.roost\.damaged-\d/.test(name)),
    `set aside in ${kept}`,
  )
  await page.click('main button')
  await seeFreshAccount(page)
})
