// Paths of the repository, and temporary folders that are removed after a test.
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')

/** Returns the path of a built program; throws with the command that builds it. */
export function program(name, variable, build) {
  const path = process.env[variable] ?? join(TARGET, 'debug', name)
  if (!existsSync(path))
    throw new Error(`${path} is not there. Build it with \`${build}\`, or name another in ${variable}.`)
  return path
}

export const desktop = () =>
  program('roost-desktop', 'ROOST_DESKTOP', 'cargo build -p roost-desktop --features custom-protocol')
export const roost = () => program('roost', 'ROOST_BIN', 'cargo build -p roost-cli')

/** Returns the path of a screenshot for people. */
export async function picture(name) {
  const folder = join(TARGET, 'e2e')
  await mkdir(folder, { recursive: true })
  return join(folder, `${name}.png`)
}

export async function ownFolder() {
  const path = await mkdtemp(join(tmpdir(), 'roost-e2e-'))
  return {
    path,
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Returns the environment of a user who has never run anything, without a session bus that could start services. */
export function freshEnvironment(folder) {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, XDG_RUNTIME_DIR: ___, ROOST_DATA_DIR: ____, ...kept } = process.env
  return {
    ...kept,
    HOME: folder,
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    NO_AT_BRIDGE: '1',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
  }
}

/** Returns a free port below the range that the system assigns to outgoing connections. */
export async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 30_000)
    const server = createServer()
    const isFree = await new Promise((tell) =>
      server.once('error', () => tell(false)).listen(port, '127.0.0.1', () => tell(true)),
    )
    if (!isFree) continue
    await new Promise((done) => server.close(done))
    return port
  }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

/** Long enough for a busy machine; only a condition that never holds takes this long. */
const PATIENCE_MS = 30_000

/** Repeats `ask` until its result is truthy; a timeout reports the last result or error. */
export async function until(what, ask, ms = PATIENCE_MS) {
  const end = Date.now() + ms
  let last
  for (;;) {
    try {
      last = await ask()
      if (last) return last
    } catch (error) {
      last = error
    }
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain: ${what}; last: ${last}`)
    await sleep(40)
  }
}

/** Repeats a claim until it holds; after the timeout, its own error shows the difference. */
export async function soon(claim, ms = PATIENCE_MS) {
  const end = Date.now() + ms
  for (;;) {
    try {
      return await claim()
    } catch (fault) {
      if (Date.now() > end) throw fault
    }
    await sleep(40)
  }
}

/** Returns the box of an element once it is visible and at rest; an element that is being rendered again has none. */
export function boxOf(locator) {
  let before = ''
  return until('it stands still', async () => {
    const box = await locator.boundingBox()
    const now = box === null ? '' : JSON.stringify(box)
    const isStill = now !== '' && now === before
    before = now
    return isStill && box
  })
}
