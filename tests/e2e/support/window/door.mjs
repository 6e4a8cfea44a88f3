// Makes the window look like the server of a console and its page, for journeys with ROOST_DOOR=window.
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { begin } from '../journeys.mjs'
import { until } from '../places.mjs'
import { startScreen } from '../processes.mjs'
import { openWindow } from './open.mjs'

export const IN_WINDOW = process.env.ROOST_DOOR === 'window'

/** As large as the largest page of any journey. */
const SCREEN = '2600x1200'
let screen

/** Replaces the browser. */
export const NO_BROWSER = {
  contexts: () => [],
  async close() {
    await screen?.stop()
    screen = undefined
  },
}

/** Features that only a browser has, with the reason why the window lacks each. */
const ONLY_BROWSER = {
  'played answers': 'nothing answers in place of the program',
  'a second page': 'the driver holds one window of the program',
  'the look of a system': 'the driver cannot change the colours and the size of text that a system asks for',
  'a clock': 'the driver cannot move the time of the page',
}

/** Returns `test` for a journey that needs a browser's feature: in the window it is skipped with the reason. */
export const testNeeding = (what) =>
  IN_WINDOW
    ? (name, act) => test(name, { skip: `needs ${what}; in the window ${ONLY_BROWSER[what]}` }, act)
    : test

/** Starts the window on the account in its folder, or on a new empty one. */
export async function startWindow(folder) {
  screen ??= await startScreen(SCREEN)
  const home = join(folder, 'account')
  await mkdir(home, { recursive: true })
  const isThere = (await readdir(home)).some((name) => name.endsWith('.roost'))
  const window = await openWindow({ display: screen.display, folder })
  try {
    if (isThere) await until('the account is open', () => window.count('#sidebar'), 30_000)
    else await begin(window)
    const ofAccount = { port: 0, world: 'account', is_copy: false, is_recording: true }
    const { running } = await window.call('server_start', ofAccount)
    return { url: running.url, console_url: window, stop: window.close, kill: window.kill }
  } catch (error) {
    await window.kill()
    throw error
  }
}

const VIEWPORT = { width: 1280, height: 800 }

/** Returns the only page of a window in its initial state. */
export async function openInWindow(window, { viewport = VIEWPORT, colorScheme = 'light', language }) {
  await window.resize(viewport.width, viewport.height)
  await window.call('preferences_put', { patch: { theme: colorScheme, motion: 'reduced' } })
  await window.tab.reload(language)
  await until('a screen is shown', () => window.count('main h1'))
  const { complaints, keyboard, rest } = window.tab
  complaints.length = 0
  return { ...window, complaints, press: keyboard.press, rest, close: () => undefined }
}
