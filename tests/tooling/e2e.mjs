// Runs journeys. Usage: e2e.mjs browser | window | all | soak [SPEC: part of a file's path]; all runs those of browser
// and window
import { createWriteStream, mkdirSync, readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { junit, spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')
const JOURNEYS = join(ROOT, 'tests', 'e2e')

// Started first, because these journeys wait a minute for timeouts. Those of the window follow, and the others use the
// processor while a window waits.
const FIRST = [/^sync/, /^window/]

const [kind, part = ''] = process.argv.slice(2)
if (!['browser', 'window', 'all', 'soak'].includes(kind)) {
  console.error('usage: e2e.mjs browser | window | all | soak [SPEC]')
  process.exit(2)
}

/** Journeys of the real window. All others run in the browser or, with ROOST_DOOR=window, in the window. */
const isWindow = (path) => path.startsWith('window/')
/** Journeys about the server, its console or a part of the page, and those that play the responses of the server. */
const BROWSER_ONLY =
  /^(?:server\/|console|trial|grid\/(?:grid|memory|million|walk)|screens\/(?:server|welcome))\b/
/** Journeys that last as long as one likes. */
const isSoak = (path) => path.startsWith('soak/')
const isOfKind = (path) => {
  if (kind === 'soak' || isSoak(path)) return kind === 'soak' && isSoak(path)
  return kind === 'all' || (kind === 'browser' ? !isWindow(path) : isWindow(path) || !BROWSER_ONLY.test(path))
}
const turn = (path) => [...FIRST, /./].findIndex((name) => name.test(path))
const files = readdirSync(JOURNEYS, { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.mjs') && isOfKind(path) && path.includes(part))
  .toSorted((a, b) => turn(a) - turn(b) || a.localeCompare(b))
if (files.length === 0) {
  console.error(
    `No journey (${kind}) matches "${part}". Name a part of a path under ${relative(process.cwd(), JOURNEYS)}.`,
  )
  process.exit(2)
}

// Some journeys check more closely if only the window is tested.
process.env.ROOST_JOURNEYS = kind
if (kind === 'window') process.env.ROOST_DOOR = 'window'
const times = join(TARGET, 'times')
mkdirSync(times, { recursive: true })
const journeys = run({
  files: files.map((path) => join(JOURNEYS, path)),
  // Many journeys mostly wait, so run more of them at once than there are cores.
  concurrency: Math.ceil(cpus().length * 1.5),
})
journeys.on('test:fail', () => (process.exitCode = 1))
journeys.compose(new spec()).pipe(process.stdout)
journeys.compose(junit).pipe(createWriteStream(join(times, `${kind}.xml`)))
