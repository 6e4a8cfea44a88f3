// The web console of a running `roost serve`, driven by Playwright in the distribution's Chromium.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freshEnvironment, roost, ROOT, until } from './places.mjs'
import { start } from './processes.mjs'

// Playwright belongs to ui/, the only folder with packages.
const { chromium } = createRequire(join(ROOT, 'ui', 'package.json'))('playwright-core')
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Starts a server with an account of its own; answers its ready file and a way to stop it. */
export async function startServer(folder, ...args) {
  const ready = join(folder, 'ready.json')
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
  }
}

export function startBrowser() {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

/** Opens the console; answers a page with the same acts as the window's. */
export async function openConsole(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    ...options,
  })
  const tab = await context.newPage()
  const complaints = []
  tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(String(error)))
  await tab.goto(url)
  const page = {
    kind: 'browser',
    tab,
    complaints,
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
