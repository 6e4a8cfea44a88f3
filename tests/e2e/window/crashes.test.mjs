// What the real window does after it failed, and in safe mode.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin } from '../support/journeys.mjs'
import { desktop, ownFolder, picture, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow, windowEnvironment } from '../support/window/open.mjs'

let screen
let folder
let open

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  open = undefined
  await mkdir(join(folder.path, 'account'))
})
afterEach(async () => {
  await open?.close()
  await folder.remove()
})

const place = () => ({ display: screen.display, folder: folder.path })
const crashes = () => join(folder.path, 'account', 'crashes')
const toasts = () => open.texts('[data-testid=toast] .text')

test('a window that failed leaves a report, and the next one says so once', async () => {
  // Standard output that takes nothing makes the program fail.
  const full = openSync('/dev/full', 'w')
  const failed = spawnSync(desktop(), ['--version'], {
    env: windowEnvironment(place()),
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  assert.notEqual(failed.status, 0)
  const [report, ...others] = await readdir(crashes())
  assert.match(report, /^roost-desktop-\d{8}-\d{6}-\d+-0000\.txt$/)
  assert.deepEqual(others, [])
  assert.ok(failed.stderr.includes(join(crashes(), report)), failed.stderr)
  assert.match(await readFile(join(crashes(), report), 'utf8'), /^program: roost-desktop\n/)

  open = await openWindow(place())
  await until('the failure is shown', async () =>
    (await toasts()).some((text) => text.startsWith('Roost failed unexpectedly')),
  )
  assert.deepEqual(await open.texts('[data-testid=toast] button'), ['Show report', ''])
  await open.screenshot(await picture('window-after-crash'))
  await open.close()

  open = await openWindow(place())
  await begin(open)
  assert.equal((await open.call('start_notice_get', {})).crash, null)
  assert.deepEqual(await toasts(), [])
})

test('safe mode opens no account and leaves the stored preferences and the place of the window alone', async () => {
  open = await openWindow(place())
  await begin(open)
  await open.call('preferences_put', { patch: { theme: 'dark' } })
  await open.close()
  const preferences = join(folder.path, 'account', 'preferences.json')
  const stored = await readFile(preferences)
  await writeFile(join(folder.path, 'account', 'window.json'), '{"main":{"width":1,"height":1}}')

  open = await openWindow({ ...place(), args: ['--safe-mode'] })
  const note = () => open.text('[data-testid=safe-mode]')
  await until('safe mode is shown', async () => /safe mode: no account was opened/.test((await note()) ?? ''))
  assert.match(await note(), /To leave safe mode/)
  await soon(async () => assert.equal((await open.call('account_list', {})).status, 'none'))
  assert.ok((await open.run('return innerWidth')) > 400)
  assert.equal(await open.run('return document.documentElement.dataset.scheme'), 'light')
  await open.screenshot(await picture('window-safe-mode'))
  await open.press('Control+Comma')
  await until('the settings open', () => open.count('dialog[open]'))
  await open.press('Escape')
  await open.run('location.hash = "#/accounts"')
  await until('the accounts are listed', () => open.count('main.alone [data-path]'))
  await open.screenshot(await picture('window-safe-mode-accounts'))
  await open.close()
  open = undefined
  assert.deepEqual(await readFile(preferences), stored)
})
