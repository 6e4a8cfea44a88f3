// The real Tauri window, driven through WebKitWebDriver in the W3C protocol, using only fetch.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { desktop, freePort, freshEnvironment, sleep, until } from '../places.mjs'
import { start } from '../processes.mjs'
import { clickRight, saveNext } from './screen.mjs'
import { tabOf } from './tab.mjs'

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
const REPAINT = `
  let odd = false
  window.repainting = setInterval(() => {
    document.documentElement.style.opacity = (odd = !odd) ? '0.9999' : ''
  }, 20)`
/** Characters beyond the basic plane, which the driver cannot type. */
const BEYOND = /[\u{10000}-\u{10ffff}]/u
const TYPE_IT = `
  const input = document.querySelector(arguments[0])
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, arguments[1])
  input.dispatchEvent(new Event('input', { bubbles: true }))`
/** Converts a rejection to a text, because the driver drops the value with which a page rejects. */
const CALL = `
  const [name, payload] = arguments
  return window.__TAURI_INTERNALS__.invoke('call', { name, payload, origin: '' }).then(
    (answer) => (answer instanceof ArrayBuffer ? new TextDecoder().decode(answer) : answer),
    (fault) => {
      throw new Error(name + ': ' + JSON.stringify(fault))
    },
  )`
const KEYS = {
  Shift: '\uE008',
  Control: '\uE009',
  Alt: '\uE00A',
  Escape: '\uE00C',
  Enter: '\uE007',
  Tab: '\uE004',
  Backspace: '\uE003',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  Insert: '\uE016',
  Delete: '\uE017',
  Space: ' ',
  Comma: ',',
  Minus: '-',
  Equal: '=',
  Backslash: '\\',
  BracketLeft: '[',
  BracketRight: ']',
  ...Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`Digit${n}`, String(n)])),
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`F${n + 1}`, String.fromCodePoint(0xe031 + n)]),
  ),
}

/** The characters of the digit keys with Shift. */
const SHIFTED = ')!@#$%^&*('
/** Returns the keys of a chord such as `Control+n`, in the driver's notation. */
const keysOf = (chord) =>
  chord
    .replace(/(?<=Shift\+)Digit(\d)$/, (_, digit) => SHIFTED[digit])
    .split('+')
    .map((key) => KEYS[key] ?? key)

/** Returns the program's environment, which confines it to its own screen and folder. */
export const windowEnvironment = ({ display, folder }) => ({
  ...freshEnvironment(folder),
  DISPLAY: display,
  GDK_BACKEND: 'x11',
  // Keeps settings of dialogs in memory.
  GSETTINGS_BACKEND: 'memory',
  ROOST_DATA_DIR: join(folder, 'account'),
  TAURI_WEBVIEW_AUTOMATION: 'true',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
})

/** Opens the program on a data folder; returns a page to read and drive. Its output goes to `hear`. */
export async function openWindow({ display, folder, env = {}, args = [], hear }) {
  const port = await freePort()
  const driver = start('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...windowEnvironment({ display, folder }), ...env },
    stdio: ['ignore', 'ignore', hear === undefined ? 'inherit' : 'pipe'],
  })
  driver.child.stderr?.on('data', (written) => hear(String(written)))
  try {
    return await session(driver, `http://127.0.0.1:${port}`, args, { display, folder })
  } catch (error) {
    await driver.stop()
    throw error
  }
}

async function session(driver, base, given, place) {
  await until('the driver answers', async () => (await ask(base, 'GET', '/status')).ready)
  const capabilities = {
    alwaysMatch: {
      'webkitgtk:browserOptions': { binary: desktop(), args: given },
    },
  }
  const { sessionId } = await ask(base, 'POST', '/session', { capabilities })
  const send = (method, path, body) => ask(base, method, `/session/${sessionId}${path}`, body)

  const find = async (css) => (await send('POST', '/element', { using: 'css selector', value: css }))[ELEMENT]
  const page = {
    kind: 'window',
    run: (script, ...args) => send('POST', '/execute/sync', { script, args }),
    /** Runs a command of the core, as the page does. */
    call: (name, payload = {}) => page.run(CALL, name, payload),
    count: (css) => page.run('return document.querySelectorAll(arguments[0]).length', css),
    texts: (css) =>
      page.run('return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())', css),
    text: async (css) => (await page.texts(css))[0],
    value: (css) => page.run('return document.querySelector(arguments[0])?.value', css),
    async click(css) {
      await send('POST', `/element/${await find(css)}/click`, {})
    },
    async fill(css, text) {
      if (BEYOND.test(text)) return page.run(TYPE_IT, css, text)
      const element = await find(css)
      await send('POST', `/element/${element}/clear`, {})
      await send('POST', `/element/${element}/value`, { text })
    },
    /** Presses a chord, such as `Control+n`. */
    async press(chord) {
      const keys = keysOf(chord)
      const down = keys.map((value) => ({ type: 'keyDown', value }))
      const up = keys.toReversed().map((value) => ({ type: 'keyUp', value }))
      await send('POST', '/actions', {
        actions: [{ type: 'key', id: 'keys', actions: [...down, ...up] }],
      })
    },
    /** Types characters into the focused element. */
    async type(text) {
      const strokes = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await send('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions: strokes }] })
    },
    title: () => send('GET', '/title'),
    /** From now on drives the other of two windows. */
    async toOtherWindow() {
      const here = await send('GET', '/window')
      const other = await until('the other window is open', async () =>
        (await send('GET', '/window/handles')).find((handle) => handle !== here),
      )
      await send('POST', '/window', { handle: other })
    },
    /** Clicks at a point of the page, which is below the menu bar. */
    async clickRight(x, y) {
      const corner = 'return [screenX + outerWidth - innerWidth, screenY + outerHeight - innerHeight]'
      const [left, top] = await page.run(corner)
      await clickRight(place, Math.round(left + x), Math.round(top + y))
    },
    /** Answers the dialog that asks where to save the next file. */
    saveNext: () => saveNext(place),
    /** Gives the page this size, whatever the height of the menu bar. */
    async resize(width, height) {
      // The menu bar appears a moment after the page and reduces its height.
      await until(`the page is ${width} × ${height}`, async () => {
        const [across, down] = await page.run('return [innerWidth, innerHeight]')
        if (across === width && down === height) return true
        const rect = await send('GET', '/window/rect')
        const wanted = { width: rect.width + width - across, height: rect.height + height - down }
        await send('POST', '/window/rect', wanted)
        await sleep(100)
        return false
      })
    },
    async screenshot(path) {
      // The driver waits for the next repaint, which a page at rest never has, so keep it repainting.
      await page.run(REPAINT)
      await writeFile(path, Buffer.from(await send('GET', '/screenshot'), 'base64'))
      await page.run('clearInterval(window.repainting); document.documentElement.style.opacity = ""')
    },
    async close() {
      await send('DELETE', '').catch(() => undefined)
      await driver.stop()
    },
    /** Ends it as a power failure would. */
    kill: () => driver.stop(),
  }
  page.call.text = page.call
  page.tab = tabOf(page, send, KEYS)
  return page
}

async function ask(base, method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`)
  return value
}
