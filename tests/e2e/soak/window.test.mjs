// Mixed work in the real window for ROOST_SOAK_MINUTES. What it holds and how long its acts take after the first third
// must not grow until the end. The curve is in target/soak-window.csv. Other work on the machine disturbs the times.
import assert from 'node:assert/strict'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { longList, onlyList, showEverything } from '../support/long-list.mjs'
import { ownFolder, sleep, TARGET, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { connect, listThere, pull, startService, upload } from '../support/service.mjs'
import { openWindow } from '../support/window/open.mjs'
import { actsOf } from './acts.mjs'
import { assertFlat, beginCurve, median, readProcesses } from './samples.mjs'

const LENGTH_MS = Number(process.env.ROOST_SOAK_MINUTES ?? 60) * 60_000
/** As many as the server's mixed load takes, if its rounds are short enough. */
const SAMPLES = 120
const ROWS = 20_000
/** The pause between two changes of the service's other writer. */
const PAUSE_MS = 1_000
const SHARED = 'Shared'
const NUMBERS = Array.from({ length: 100 }, (_, n) => `+447700900${n + 300}`)
const COLUMNS = [
  'second',
  'memory_mib',
  'mapped_mib',
  'handles',
  'threads',
  'engine_mib',
  'engine_mapped_mib',
  'engine_handles',
  'elements',
  'list_micros',
  'cell_micros',
  'pull_micros',
  'rounds',
  'account_bytes',
]

let screen
let folder
let page
let service

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  await longList(account(), ROWS)
  service = await startService(folder.path, '--limits', 'off')
  page = await openWindow({ display: screen.display, folder: folder.path })
  await until('the account is open', () => page.count('#sidebar'))
})
afterEach(async () => {
  await page?.close()
  await service?.cut()
  await folder.remove()
})

const account = () => join(folder.path, 'account', 'account.roost')

/** Adds up the sizes of the account and of the files that SQLite keeps beside it. */
async function readAccountBytes() {
  const home = join(folder.path, 'account')
  const files = (await readdir(home)).filter((name) => name.startsWith('account.roost'))
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(home, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Says in the error of an act which it was. */
async function named(what, act) {
  try {
    return await act()
  } catch (cause) {
    throw new Error(`${what}: ${cause.message}`, { cause })
  }
}

/** Changes a contact of the service now and then until `isOver`, as another program would. */
async function changeThere(list, isOver) {
  for (let n = 0; !isOver(); n += 1) {
    await upload(service, list, [{ phone_number: NUMBERS[n % NUMBERS.length], lastname: `Writer ${n}` }])
    await sleep(PAUSE_MS)
  }
}

test('hours of mixed work leave memory, handles and times flat', async (t) => {
  const { call } = page
  const everybody = await onlyList(call)
  await showEverything(call, everybody)
  const contacts = NUMBERS.map((phone_number) => ({ phone_number, firstname: 'Ada', city: 'York' }))
  const shared = { uid: await listThere(service, SHARED, contacts), name: SHARED, numbers: NUMBERS }
  await connect(call, service)
  await pull(call)
  const empty = { uid: (await call('list_create', { name: 'Imports' })).uid, name: 'Imports' }

  let times
  const forget = () => (times = { list: [], cell: [], pull: [] })
  const time = (name, ms) => times[name].push(ms)
  const acts = actsOf({ page, service, long: 'Everybody', rows: ROWS, shared, empty, time })
  const curve = beginCurve(join(TARGET, 'soak-window.csv'), COLUMNS)
  const micros = (figures) => Math.round(median(figures) * 1_000)
  const begun = performance.now()
  const elapsed = () => performance.now() - begun
  const sample = async (rounds) => {
    curve.add({
      second: Math.round(elapsed() / 1_000),
      ...readProcesses(folder.path),
      elements: await page.count('*'),
      list_micros: micros(times.list),
      cell_micros: micros(times.cell),
      pull_micros: micros(times.pull),
      rounds,
      account_bytes: await readAccountBytes(),
    })
    forget()
  }

  let isOver = false
  const writer = changeThere(shared.uid, () => isOver)
  // Reported below; the work goes on until then.
  writer.catch(() => undefined)
  let [round, counted] = [0, 0]
  forget()
  try {
    while (elapsed() < LENGTH_MS) {
      round += 1
      for (const [name, act] of Object.entries(acts))
        await named(`${name} in round ${round}`, () => act(round))
      // At the end of a round, because all samples are then of the same screen.
      if (elapsed() < (LENGTH_MS / SAMPLES) * (curve.samples.length + 1)) continue
      await sample(round - counted)
      counted = round
    }
  } finally {
    isOver = true
  }
  await writer
  t.diagnostic(`${round} rounds, ${JSON.stringify(curve.samples.at(-1))}`)
  await page.tab.rest()
  assert.deepEqual(page.tab.complaints, [])
  assertFlat(curve.samples)
})
