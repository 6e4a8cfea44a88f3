// Where things are, and folders of the test's own that are gone afterwards.
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')

/** A built program, or the command that builds it. */
export function program(name, variable, build) {
  const path = process.env[variable] ?? join(TARGET, 'debug', name)
  if (!existsSync(path))
    throw new Error(`${path} is not there. Build it with \`${build}\`, or name another in ${variable}.`)
  return path
}

export const desktop = () =>
  program('roost-desktop', 'ROOST_DESKTOP', 'cargo build -p roost-desktop --features custom-protocol')
export const roost = () => program('roost', 'ROOST_BIN', 'cargo build -p roost-cli')

/** Where pictures for people go. */
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

/** The environment of a person who has never run anything, with no session bus to wake up. */
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

/** A port to be told to a program, below those that connections of other programs get meanwhile. */
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

/** Long enough for a machine that is busy with something else: only what never comes takes so long. */
const PATIENCE_MS = 30_000

/** Asks again until the answer is true-ish; a timeout tells the last answer or fault. */
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

/** What is claimed comes true soon: asked again until it holds; in the end its own fault tells the difference. */
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

/** Where something is, once it is in view and stands still: what is drawn anew is nowhere for a moment. */
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
