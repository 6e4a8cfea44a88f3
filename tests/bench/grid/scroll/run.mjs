// Compares scrolling the grid of a list with scrolling bare rows in the same page (P6), in Chromium and in the window:
// `node run.mjs FOLDER LIST` prints one line of JSON. FOLDER contains the account, LIST is its list. ROOST_BIN and
// ROOST_DESKTOP name the programs; ONLY=chromium or ONLY=window limits the measurement, ROUNDS (5) sets the
// repetitions.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { caller } from '../../../e2e/support/commands.mjs'
import { openConsole, startServer } from '../../../e2e/support/console.mjs'
import { ROOT, sleep, until } from '../../../e2e/support/places.mjs'
import { startScreen } from '../../../e2e/support/processes.mjs'
import { openWindow } from '../../../e2e/support/window/open.mjs'

const [folder, list] = process.argv.slice(2)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const PATIENCE_MS = 300_000
const SIZE = { width: 1500, height: 900 }
const PARTS = ['wheel', 'keys', 'thumb']
/** Without these, a frame never takes less than a refresh of the screen, which hides its real cost. */
const UNBOUND = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu-vsync',
  '--disable-frame-rate-limit',
]
const SCRIPT = await readFile(new URL('page.js', import.meta.url), 'utf8')

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]

const serve = () =>
  startServer(folder, '--db', join(folder, 'account', 'account.roost'), '--console', '--limits', 'off')

/** Shows all of the contact's own columns, in the window too. */
async function showEverything() {
  const server = await serve()
  try {
    const call = caller(server)
    const { fields } = await call('contact_fields', {})
    const shown = Object.fromEntries(fields.map(({ name }) => [name, true]))
    await call('ui_state_put', {
      key: `contacts.grid.${list}`,
      value: { order: [], widths: {}, shown: { ...shown, updated_at: false }, frozen: [] },
    })
  } finally {
    await server.stop()
  }
}

async function atGrid(page) {
  await page.run("location.hash = '#/lists/' + arguments[0]", list)
  await page.run(SCRIPT)
  await until('the rows are there', () => page.run('return window.bench.isThere()'), PATIENCE_MS)
}

async function benched(page, of, given) {
  await page.run('window.bench.start(arguments[0], arguments[1])', of, given)
  // Poll rarely, because every poll costs a frame.
  await sleep(2_000)
  await until(
    'it has come to its end',
    async () => (await page.run('return window.benched !== undefined')) || sleep(500),
    PATIENCE_MS,
  )
  const { times, fault } = await page.run('return window.benched')
  if (fault !== undefined) throw new Error(fault)
  return times
}

/** Alternates between both, so that other load on the machine affects both. */
async function measure(page, onfirst) {
  const seen = { grid: [], bare: [] }
  let cells = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await atGrid(page)
    const shape = await page.run('return window.bench.shape()')
    cells = shape.lines.reduce((sum, line) => sum + line.cells.length, 0)
    seen.grid.push(await benched(page, 'grid', null))
    if (round === 0) await onfirst?.()
    seen.bare.push(await benched(page, 'bare', shape))
    await page.run('location.reload()')
    await until('the page is made anew', () => page.run('return window.bench === undefined'), PATIENCE_MS)
  }
  const figures = { cells }
  for (const part of PARTS) {
    const of = (page, share) => median(seen[page].map((times) => at(times[part], share)))
    figures[part] = {
      grid: { p50: of('grid', 0.5), p95: of('grid', 0.95) },
      bare: { p50: of('bare', 0.5), p95: of('bare', 0.95) },
    }
  }
  return figures
}

async function inChromium() {
  const { chromium } = createRequire(join(ROOT, 'ui', 'package.json'))('playwright-core')
  const server = await serve()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: UNBOUND,
  })
  try {
    const page = await openConsole(browser, server.console_url, { viewport: SIZE })
    const tools = await page.tab.context().newCDPSession(page.tab)
    const held = async () => {
      await tools.send('HeapProfiler.collectGarbage')
      const { usedSize } = await tools.send('Runtime.getHeapUsage')
      const { nodes } = await tools.send('Memory.getDOMCounters')
      return { heap: usedSize / 1_048_576, nodes }
    }
    const memory = {}
    const figures = await measure(page, async () => {
      memory.before = await held()
      await page.tab.evaluate(() => window.bench.through(5_000))
      memory.after = await held()
    })
    return { ...figures, memory }
  } finally {
    await browser.close()
    await server.stop()
  }
}

async function inWindow() {
  const screen = await startScreen(`${SIZE.width}x${SIZE.height}`)
  try {
    // As on a user's screen, where the web view itself decides how to paint.
    const env = { WEBKIT_DISABLE_COMPOSITING_MODE: process.env.WEBKIT_DISABLE_COMPOSITING_MODE }
    const page = await openWindow({ display: screen.display, folder, env })
    try {
      await until('the window is there', () => page.count('main'), PATIENCE_MS)
      return await measure(page)
    } finally {
      await page.close()
    }
  } finally {
    await screen.stop()
  }
}

const only = process.env.ONLY
const result = {}
await showEverything()
if (only !== 'window') result.chromium = await inChromium()
if (only !== 'chromium') result.window = await inWindow()
console.log(JSON.stringify(result))
