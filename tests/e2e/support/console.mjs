// Where journeys are tried: the web console of a running `roost serve` in the distribution's Chromium, driven by
// Playwright; or, when ROOST_DOOR is `window`, the real window.
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

// Playwright belongs to ui/, the only folder with packages.
const { chromium } = createRequire(join(ROOT, 'ui', 'package.json'))('playwright-core')
/** The shell without the browser's own pages takes half the time of the whole browser. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'

/** Starts a server with an account of its own; answers its ready file and a way to stop it. */
export async function startServer(folder, ...args) {
  if (IN_WINDOW && args.includes('--console')) return startWindow(folder)
  const ready = join(folder, 'ready.json')
  // Of a server that was killed.
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
    /** As when the power goes. */
    kill: () => server.stop('SIGKILL'),
    /** Does `act` while the program stands still, which may be faster than whoever acts. */
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

/** What a program asks of the server: a request as its key's holder, and an act of the operator with its answer. */
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

/** With `bars`, scrollbars are there to be dragged, as on most people's screens. */
export function startBrowser({ bars = false } = {}) {
  if (IN_WINDOW) return NO_BROWSER
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    ignoreDefaultArgs: bars ? ['--hide-scrollbars'] : [],
  })
}

/** What takes longer is not waited for: keys must do something meanwhile, too. */
const AT_WORK_MS = 1_000
/** Ends what is at work, and therefore waits for nothing. */
const ENDING = new Set(['Control+.', 'Escape'])

/**
 * Keys are pressed and texts typed as a person does who has seen what the last one did: with no call of the page under
 * way. Answers a way to wait for that, for what is done by pointer.
 */
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
      // What was answered is drawn, and may ask for more.
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

/** Opens the console, in the language named; answers a page with the same acts as the window's. */
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

/** Without limits, so that nothing waits for a bucket. */
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

/**
 * The console of a file of tests, filled before each of them: a browser, a folder, and a server with a way to run its
 * commands and to open its page. With `isFile` the account is a file, so that `start` finds it again; `fill` puts one
 * there. `args` are the server's.
 */
export const consoleForEach = (options) => consoleFrom(beforeEach, afterEach, options)

/** The same server for all tests of a file. */
export const consoleForAll = (options) => consoleFrom(before, after, options)
