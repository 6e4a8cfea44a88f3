// The door of the window: what journeys take for the server of a console and for its page, when ROOST_DOOR is `window`.
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { begin } from '../journeys.mjs'
import { until } from '../places.mjs'
import { startScreen } from '../processes.mjs'
import { openWindow } from './open.mjs'

export const IN_WINDOW = process.env.ROOST_DOOR === 'window'

/** As large as the largest page that a journey asks for. */
const SCREEN = '2600x1200'
let screen

/** Where the browser would be. */
export const NO_BROWSER = {
  contexts: () => [],
  async close() {
    await screen?.stop()
    screen = undefined
  },
}

/** What only a browser has, and why the window has it not. */
const ONLY_BROWSER = {
  'played answers': 'nothing answers in place of the program',
  'a second page': 'the driver holds one window of the program',
  'a clock': 'the driver cannot move the time of the page',
}

/** `test` for a journey that needs what only a browser has: the window leaves it out, and says why. */
export const testNeeding = (what) =>
  IN_WINDOW
    ? (name, act) => test(name, { skip: `needs ${what}; in the window ${ONLY_BROWSER[what]}` }, act)
    : test

/** The account is the window's own: the one in its folder, or an empty one that is made. */
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

/** The one page of a window, as if it were opened just now. */
export async function openInWindow(window, { viewport = VIEWPORT, colorScheme = 'light', language }) {
  await window.resize(viewport.width, viewport.height)
  await window.call('preferences_put', { patch: { theme: colorScheme, motion: 'reduced' } })
  await window.tab.reload(language)
  await until('a screen is shown', () => window.count('main h1'))
  const { complaints, keyboard, rest } = window.tab
  complaints.length = 0
  return { ...window, complaints, press: keyboard.press, rest, close: () => undefined }
}
