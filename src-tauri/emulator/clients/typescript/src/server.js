/** A server: one that ends with this process, or one that is already running. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Admin } from './admin.js'
import { StartError } from './errors.js'
import { checkOptions } from './options.js'
import { World } from './world.js'

/** @import { ChildProcessWithoutNullStreams } from 'node:child_process' */
/** @import { CreatedWorld, WorldRequest, Settings } from '../gen/types.d.ts' */

/**
 * Options of a world: the fields of `POST /__admin/worlds`, and some more.
 *
 * @typedef {Omit<WorldRequest, 'from' | 'settings'> & Begun} Wish
 */
/**
 * @typedef {object} Begun
 * @property {'seed' | 'empty' | `snapshot:${string}` | `world:${string}`} [source] Its initial data: the seed of
 *   the server, nothing, a snapshot of the default world, or another world.
 * @property {Settings} [settings]
 * @property {object | string} [account] Initial data in the form of `roost export`, or the text of such a file (JSON,
 *   YAML), instead of `source`.
 */

/** `roost exec` serves while this runs. It prints the server's address, and ends when this process ends in any way. */
const HOLD = `
const { ROOST_ADMIN_URL: url, ROOST_ADMIN_TOKEN: token } = process.env
process.stdout.write(JSON.stringify({ url, token }) + '\\n')
process.stdin.resume()
`
/** Variables that are meant for another server, for its clients, or for the tests' own Node. */
const NOT_FOR_OURS = [
  'ROOST_ADMIN_TOKEN',
  'ROOST_ADMIN_URL',
  'ROOST_BIND',
  'ROOST_CA',
  'ROOST_CONSOLE',
  'ROOST_DB',
  'ROOST_NO_PORT',
  'ROOST_PORT',
  'ROOST_READY_FD',
  'ROOST_READY_FILE',
  'ROOST_SOCKET',
  'ROOST_UNIX',
  'ROOST_WORLD',
  'NODE_OPTIONS',
  'NODE_TEST_CONTEXT',
]
/** Milliseconds for a server to start, and to stop. */
const START = 30_000
const END = 10_000
/** A world whose test was killed is removed when it has not been used for this long. */
const TTL = '1h'
const ADMIN = '/__admin'
/** The program, in packages that contain it. */
const OWN = fileURLToPath(new URL('../bin/roost', import.meta.url))
/** The most output of a server that is stored. */
const WORDS = 16_384

/** `obtain` uses the server that the environment names, or starts one. */
export class Server {
  /**
   * @param {string} url
   * @param {string} token
   * @param {ChildProcessWithoutNullStreams} [child]
   */
  constructor(url, token, child) {
    this.url = url.replace(/\/$/, '').replace(new RegExp(`${ADMIN}$`), '')
    this.token = token
    this.admin = new Admin(this.url + ADMIN, token)
    /** @private */
    this.child = child
  }

  /**
   * Uses the server of ROOST_ADMIN_URL and ROOST_ADMIN_TOKEN, which `roost exec` sets, or of ROOST_READY_FILE. Without
   * either, starts one.
   */
  static async obtain() {
    const { ROOST_ADMIN_URL: url, ROOST_ADMIN_TOKEN: token, ROOST_READY_FILE: file } = process.env
    if (url && !token) {
      throw new StartError('ROOST_ADMIN_URL is set, so ROOST_ADMIN_TOKEN must be set too')
    }
    if (url && token) return Server.attach(url, token)
    return file ? Server.attach(...ready(file)) : Server.start()
  }

  /**
   * Uses a running server, by its address and its admin token. Checks that it answers.
   *
   * @param {string} url
   * @param {string} token
   */
  static async attach(url, token) {
    const server = new Server(url, token)
    try {
      await server.admin.get('/info')
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new StartError(`no Roost server at ${server.url}: ${why}`, { cause })
    }
    return server
  }

  /**
   * Starts a server on a free port, in memory, with a journal. `flags` are those of `roost serve`. The program is
   * `binary`, or ROOST_BIN, or the one in this package, or `roost` on the PATH. It ends with this process, and does not
   * keep it from ending.
   *
   * @param {{ flags?: string[], binary?: string, timeout?: number }} [how]
   */
  static async start(how = {}) {
    checkOptions(how, ['flags', 'binary', 'timeout'])
    const { flags = [], binary = process.env['ROOST_BIN'] || (existsSync(OWN) ? OWN : 'roost') } = how
    const { timeout = START } = how
    const env = { ...process.env }
    for (const name of NOT_FOR_OURS) delete env[name]
    const child = spawn(binary, ['exec', ...flags, '--', process.execPath, '-e', HOLD], { env })
    let words = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (words = (words + text).slice(-WORDS)))
    // The server may end before this process.
    child.stdin.on('error', () => {})
    const watch = setTimeout(() => child.kill('SIGKILL'), timeout)
    const line = await firstLine(child).finally(() => clearTimeout(watch))
    if (line === undefined) {
      child.stdin.end()
      const said = words.trim() || 'no output'
      throw new StartError(`${binary} did not start (${child.exitCode ?? child.signalCode}): ${said}`)
    }
    for (const held of [child, child.stdin, child.stdout, child.stderr]) {
      // The three streams have unref, although their types do not say so.
      ;/** @type {{ unref(): void }} */ (/** @type {unknown} */ (held)).unref()
    }
    return new Server(line.url, line.token, child)
  }

  /**
   * Creates a world.
   *
   * @param {Wish} [wish]
   */
  async world({ source, account, ...wish } = {}) {
    const asked = { ttl: TTL, ...wish, ...(source === undefined ? {} : { from: source }) }
    const world = new World(this, /** @type {CreatedWorld} */ (await this.admin.post('/worlds', asked)))
    try {
      await world.admin.patch('/journal', { enabled: true })
      if (account !== undefined) await world.seed(account)
    } catch (why) {
      await world.remove()
      throw why
    }
    return world
  }

  /** Whether a server that this process started still runs. True for any other server. */
  get isRunning() {
    return this.child === undefined || !hasEnded(this.child)
  }

  /** Stops the server if this process started it. */
  async stop() {
    const { child } = this
    if (child === undefined || hasEnded(child)) return
    child.ref()
    const watch = setTimeout(() => child.kill('SIGKILL'), END)
    child.stdin.end()
    await once(child, 'exit')
    clearTimeout(watch)
  }

  [Symbol.asyncDispose]() {
    return this.stop()
  }
}

/** @param {ChildProcessWithoutNullStreams} child */
function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null
}

/**
 * @param {string} file
 * @returns {[string, string]}
 */
function ready(file) {
  try {
    const { admin_url: url, admin_token: token } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof url === 'string' && typeof token === 'string') return [url, token]
  } catch (cause) {
    throw new StartError(`ROOST_READY_FILE is not a ready file of roost serve: ${String(cause)}`, { cause })
  }
  throw new StartError(`ROOST_READY_FILE is not a ready file of roost serve: ${file}`)
}

/**
 * Undefined when the process ended without one.
 *
 * @param {ChildProcessWithoutNullStreams} child
 * @returns {Promise<{ url: string, token: string } | undefined>}
 */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    let told = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      told += text
      if (told.endsWith('\n')) resolve(JSON.parse(told))
    })
    child.once('close', () => resolve(undefined))
    child.once('error', (cause) => {
      const todo =
        'Install the package that contains it, or build it with `cargo build --package roost-cli` and put it on the PATH, ' +
        'or set ROOST_BIN to its path.'
      reject(new StartError(`${child.spawnfile} cannot be started: ${cause.message}. ${todo}`, { cause }))
    })
  })
}
