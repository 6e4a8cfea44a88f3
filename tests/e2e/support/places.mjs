// Where things are, and folders of the test's own that are gone afterwards.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')

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

export async function freePort() {
  const server = createServer()
  await new Promise((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', done))
  const { port } = server.address()
  await new Promise((done) => server.close(done))
  return port
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

/** Asks again until the answer is true-ish; a timeout tells the last answer or fault. */
export async function until(what, ask, ms = 10_000) {
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
