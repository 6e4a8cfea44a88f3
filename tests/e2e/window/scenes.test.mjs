// Checks the layout of every scene of the pictures in the real window: dialogs with their faults, panels, each step of an
// import, and an account that is connected to a service. With ROOST_PICTURES=1 it also takes a picture of each.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, test } from 'node:test'
import {
  connectWorld,
  connected,
  sendAll,
  sent,
  settleAll,
  settled,
} from '../../tooling/screenshots/sync.mjs'
import { rest } from '../../tooling/screenshots/camera.mjs'
import { written } from '../../tooling/screenshots/contacts.mjs'
import { full } from '../../tooling/screenshots/full.mjs'
import { imports } from '../../tooling/screenshots/import.mjs'
import { fill } from '../../tooling/screenshots/seed.mjs'
import { chooseCountry } from '../support/journeys.mjs'
import { ownFolder, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { createLook } from '../support/window/looks.mjs'
import { openWindow } from '../support/window/open.mjs'

const IS_WHOLE = process.env.ROOST_JOURNEYS === 'window'
const TAKES = process.env.ROOST_PICTURES === '1'
/** A pattern of the names of scenes, for people who change some of them. */
const ONLY = process.env.ROOST_SCENES ?? ''
/** The clock of the window's own account cannot be moved. */
const ONLY_CONSOLE = new Set(['server-job-drawn'])
const skip = IS_WHOLE ? false : 'a part of `make test-window`, because it takes minutes'
const START = '[data-testid=welcome] button[type=submit]'

let screen
let folder
let page
let world
let service

before(async () => {
  if (!IS_WHOLE) return
  screen = await startScreen('1600x1000')
  folder = await ownFolder()
  const home = join(folder.path, 'account')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'preferences.json'), JSON.stringify({ theme: 'light', motion: 'reduced' }))
  page = await openWindow({ display: screen.display, folder: folder.path })
  await until('the welcome is shown', () => page.count(START))
  await page.run(`document.querySelector('[data-testid=welcome] input[value=sample]').click()`)
  await page.fill('[data-testid=welcome] input:not([type=radio])', 'Corner Shop')
  await chooseCountry(page)
  await page.click(START)
  await until('the account is open', () => page.count('#sidebar'))
  const { running } = await page.call('server_start', {
    port: 0,
    world: 'account',
    is_copy: false,
    is_recording: true,
  })
  world = await fill({ url: running.url, console_url: page })
  await page.resize(1280, 800)
})
after(async () => {
  await page?.close()
  await service?.cut()
  await screen?.stop()
  await folder?.remove()
})

async function goTo(place) {
  await page.run('location.hash = arguments[0]', place)
  await page.tab.reload()
  await until(`${place} is shown`, () => page.count('main :is(h1, h2)'))
  await rest(page)
}

async function seeScenes(scenes) {
  const { look, seeNone, apply } = createLook(page, { isWhole: IS_WHOLE, takes: () => TAKES })
  const failed = []
  for (const [name, state, place, act] of scenes) {
    const title = `${name}-${state}`
    if (!new RegExp(ONLY).test(title) || ONLY_CONSOLE.has(title)) continue
    const show = async () => {
      await goTo(place)
      await apply()
      await act?.(page.tab)
      await rest(page)
    }
    try {
      await show()
      await look(title, show)
    } catch (error) {
      failed.push(`${title}: ${error.message}`)
    }
  }
  seeNone(failed)
}

test('every scene of an account has its place', { skip }, () => seeScenes(full(world)))

test('every step of an import and what a rule refuses has its place', { skip }, () =>
  seeScenes([...written(world), ...imports(world)]),
)

test('every scene of a connected account has its place', { skip }, async () => {
  const there = await connectWorld(page.call, folder.path)
  ;({ service } = there)
  await seeScenes(connected(there))
})

test('every scene of what was sent has its place', { skip }, async () => {
  await sendAll(page.call)
  await seeScenes(sent())
})

test('an account with nothing to send has its place', { skip }, async () => {
  await settleAll(page.call)
  await seeScenes(settled())
})
