// Files of contacts with which the real window is opened, at its start and while it runs: it offers to import them and
// never imports at once.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin } from '../support/journeys.mjs'
import { desktop, ownFolder, picture, soon, until } from '../support/places.mjs'
import { start, startScreen } from '../support/processes.mjs'
import { startBus } from '../support/window/bus.mjs'
import { openWindow, windowEnvironment } from '../support/window/open.mjs'

let screen
let folder
let bus
let page

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  bus = await startBus(folder.path)
})
afterEach(async () => {
  await page?.close()
  await bus?.stop()
  await folder.remove()
})

const place = () => ({ display: screen.display, folder: folder.path, env: bus.env })

async function file(name, ...rows) {
  const path = join(folder.path, name)
  await writeFile(path, ['Phone,First name', ...rows].join('\n'))
  return path
}

/** Waits until the wizard shows this file, and checks that nothing is written. */
async function seeOffered(name) {
  await until(
    `${name} is offered`,
    async () => (await page.texts('main ul[aria-label=Files] .name')).join() === name,
    30_000,
  )
  await until('its rows are shown', () => page.count('main table tr.head'), 30_000)
  await soon(async () =>
    assert.equal((await page.call('import_history', { page_number: 1, page_size: 10 })).total_items, 0),
  )
}

test('a file that the window is opened with is offered to be imported', async () => {
  const path = await file('customers.csv', '+447700900001,Ada')
  page = await openWindow({ ...place(), args: [path] })
  await begin(page)
  await seeOffered('customers.csv')
  await page.screenshot(await picture('window-open-with'))
})

test('a second start hands its file to the window that is there, and ends', async () => {
  page = await openWindow(place())
  await begin(page)
  const env = { ...windowEnvironment(place()), ...bus.env }
  const again = start(desktop(), [await file('more.csv', '+447700900002,Bo')], { env })
  const [status] = await again.ended
  assert.equal(status, 0)
  await seeOffered('more.csv')
  // A file that arrives while an import shows its files is added to that import.
  const third = start(desktop(), [await file('third.csv', '+447700900003,Cy')], { env })
  await third.ended
  await until(
    'both are there',
    async () => (await page.texts('main ul[aria-label=Files] .name')).join() === 'more.csv,third.csv',
    30_000,
  )
})
