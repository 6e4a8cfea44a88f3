// Where journeys run: the web console of a running `roost serve` in the distribution's Chromium, driven by Playwright;
// or, if ROOST_DOOR is `window`, the real window.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, beforeEach } from 'node:test'
import { caller } from './commands.mjs'
import { freshEnvironment, ownFolder, roost, ROOT, sleep, until } from './places.mjs'
import { start } from './processes.mjs'
import { IN_WINDOW, NO_BROWSER, openInWindow, startWindow } from './window/door.mjs'

export { testNeeding } from './window/door.mjs'

// Playwright is installed in ui/, the only folder with packages.
const { chromium } = createRequire(join(ROOT, 'ui', 'package.json'))('playwright-core')
/** The headless shell, which lacks the browser's own pages, takes half the time of the full browser. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'

/** Starts a server with its own account; returns the content of its ready file and functions that stop it. */
export async function startServer(folder, ...args) {
  if (IN_WINDOW && args.includes('--console')) return startWindow(folder)
  const ready = join(folder, 'ready.json')
  // A killed server leaves its ready file behind.
  await rm(ready, { force: true })
  const server = start(roost(), ['serve', '--port', '0', '--ready-file', ready, ...args], {
    env: freshEnvironment(folder),
  })
  const died = server.ended.then(([code]) => {
    throw new Error(`roost serve ended with status ${code}`)
  })
  died.catch(() => undefined)
  await Promise.race([until('the ready file is there', () => existsSync(ready)), died])
  return {
    ...JSON.parse(await readFile(ready, 'utf8')),
    stop: () => server.stop('SIGTERM'),
    /** Stops it as a power failure would. */
    kill: () => server.stop('SIGKILL'),
    /** Runs `act` while the program is suspended, because the program might otherwise be faster. */
    async whileHalted(act) {
      server.child.kill('SIGSTOP')
      try {
        await act()
      } finally {
        server.child.kill('SIGCONT')
      }
    },
  }
}

/** Returns functions that send requests to the server: one with a key, and one as the operator, which returns the
 *  response. */
export function asksOf(here) {
  const json = { 'content-type': 'application/json' }
  return {
    post: (path, body, base = here.server.url) =>
      fetch(`${base}${path}`, {
        method: 'POST',
        headers: { ...json, 'x-auth-key': 'test' },
        body: JSON.stringify(body),
      }),
    async operate(method, path, body) {
      const { url, console_url } = here.server
      const token = decodeURIComponent(/#token=(.*)$/.exec(console_url)[1])
      const answer = await fetch(`${url}/__admin${path}`, {
        method,
        headers: { ...json, authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
  }
}

/** Starts the browser; with `bars`, it has scrollbars that can be dragged, as on most desktops. */
export function startBrowser({ bars = false } = {}) {
  if (IN_WINDOW) return NO_BROWSER
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    ignoreDefaultArgs: bars ? ['--hide-scrollbars'] : [],
  })
}

/** Longer calls are not waited for, because keys must work during them too. */
const AT_WORK_MS = 1_000
/** Keys that cancel running work, and therefore wait for nothing. */
const ENDING = new Set(['Control+.', 'Escape'])

/** Makes key presses and typing wait until no call of the page is pending, like a user who waits for the result of
 *  each. Returns a function that waits in the same way, for acts by pointer. */
function pressAtRest(tab) {
  const open = new Set()
  tab.on('request', (request) => {
    const name = /\/__console\/call\/(.*)$/.exec(request.url())?.[1]
    if (name !== undefined) open.add(request)
  })
  for (const end of ['requestfinished', 'requestfailed']) tab.on(end, (request) => open.delete(request))
  tab.on('domcontentloaded', () => open.clear())
  const rest = async () => {
    const end = Date.now() + AT_WORK_MS
    do {
      while (open.size > 0 && Date.now() < end) await sleep(10)
      // Rendering the response may start further calls.
      await tab.evaluate(() => new Promise((drawn) => setTimeout(drawn)))
    } while (open.size > 0 && Date.now() < end)
  }
  const { keyboard } = tab
  const press = keyboard.press.bind(keyboard)
  keyboard.press = async (chord, ...others) => {
    if (!ENDING.has(chord)) await rest()
    await press(chord, ...others)
  }
  const type = keyboard.type.bind(keyboard)
  keyboard.type = async (...text) => {
    await rest()
    await type(...text)
  }
  return rest
}

const VIEWPORT = { width: 1280, height: 800 }

/** Opens the console, in `language` if given; returns a page with the same methods as the window's. */
export async function openConsole(browser, url, { language, ...options } = {}) {
  if (IN_WINDOW) return openInWindow(url, { language, ...options })
  const context = await browser.newContext({
    viewport: VIEWPORT,
    locale: 'en-GB',
    ...options,
  })
  const tab = await context.newPage()
  const complaints = []
  tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(String(error)))
  const rest = pressAtRest(tab)
  await tab.goto(language === undefined ? url : url.replace('#', `?locale=${language}#`))
  const page = {
    kind: 'browser',
    tab,
    complaints,
    rest,
    run: (script, ...args) =>
      tab.evaluate(([body, given]) => new Function(body).apply(null, given), [script, args]),
    count: (css) => tab.locator(css).count(),
    texts: async (css) => (await tab.locator(css).allTextContents()).map((text) => text.trim()),
    text: async (css) => (await page.texts(css))[0],
    value: (css) => tab.locator(css).inputValue(),
    click: (css) => tab.locator(css).click(),
    fill: (css, text) => tab.locator(css).fill(text),
    press: (chord) => tab.keyboard.press(chord),
    title: () => tab.title(),
    screenshot: (path) => tab.screenshot({ path }),
    close: () => context.close(),
  }
  return page
}

/** Without rate limits, so that nothing has to wait. */
const UNLIMITED = ['--console', '--limits', 'off']

function consoleFrom(begin, end, { args = [], isFile = false, fill, bars } = {}) {
  const call = (name, payload) => caller(here.server)(name, payload)
  call.text = (name, payload) => caller(here.server).text(name, payload)
  const here = {
    browser: undefined,
    folder: undefined,
    server: undefined,
    call,
    open: (options) => openConsole(here.browser, here.server.console_url, options),
    async start() {
      const home = join(here.folder, 'account')
      const file = join(home, 'account.roost')
      await mkdir(home, { recursive: true })
      if (fill !== undefined && !existsSync(file)) await fill(file)
      const kept = isFile || fill !== undefined ? ['--db', file] : []
      here.server = await startServer(here.folder, ...UNLIMITED, ...kept, ...args)
    },
  }
  let own
  before(async () => (here.browser = await startBrowser({ bars })))
  begin(async () => {
    own = await ownFolder()
    here.folder = own.path
    await here.start()
  })
  afterEach(async () => {
    for (const context of here.browser.contexts()) await context.close()
  })
  end(async () => {
    await here.server?.stop()
    here.server = undefined
    await own?.remove()
  })
  after(() => here.browser?.close())
  return here
}

/** Provides the console for a file of tests: a browser, a folder, and a server with functions that run its commands
 *  and open its page, all created again before each test. With `isFile` the account is a file, so that `start` finds
 *  it again; `fill` creates that file. `args` are the server's. */
export const consoleForEach = (options) => consoleFrom(beforeEach, afterEach, options)

/** Provides the same server for all tests of a file. */
export const consoleForAll = (options) => consoleFrom(before, after, options)
