/** A server: one of our own for as long as we live, or one that runs already. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Admin } from './admin.js'
import { StartError } from './errors.js'
import { World } from './world.js'

/** @import { ChildProcessWithoutNullStreams } from 'node:child_process' */
/** @import { MadeWorld, WorldWish, Settings } from '../gen/types.d.ts' */

/**
 * How a world is to be: what `POST /__admin/worlds` takes, and what goes on top of it.
 *
 * @typedef {Omit<WorldWish, 'from' | 'settings'> & Begun} Wish
 */
/**
 * @typedef {object} Begun
 * @property {'seed' | 'empty' | `snapshot:${string}` | `world:${string}`} [source] What it begins with: the seed of
 *   the server, nothing, a snapshot of the default world, or another world as it is.
 * @property {Settings} [settings]
 * @property {object | string} [account] One in the form of `roost export`, or the text of such a file (JSON, YAML); goes
 *   before `source`.
 */

/** `roost exec` serves while this runs. It says where the server is, and ends when we do, however that comes about. */
const HOLD = `
const { ROOST_ADMIN_URL: url, ROOST_ADMIN_TOKEN: token } = process.env
process.stdout.write(JSON.stringify({ url, token }) + '\\n')
process.stdin.resume()
`
/** Meant for another server, for whoever asks one, or for the tests' own Node. */
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
/** Milliseconds for a server to answer, and to end. */
const START = 30_000
const END = 10_000
/** A world whose test was killed goes by itself, when nobody used it for so long. */
const TTL = '1h'
const ADMIN = '/__admin'
/** The most that is kept of what a server says. */
const WORDS = 16_384

/** `obtain` takes the one that the environment names, and starts one where there is none. */
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
   * The server of ROOST_ADMIN_URL and ROOST_ADMIN_TOKEN, as `roost exec` sets them, or of ROOST_READY_FILE; without
   * either, one of our own.
   */
  static async obtain() {
    const { ROOST_ADMIN_URL: url, ROOST_ADMIN_TOKEN: token, ROOST_READY_FILE: file } = process.env
    if (url && !token) {
      throw new StartError('ROOST_ADMIN_URL names a server; ROOST_ADMIN_TOKEN has to say its token')
    }
    if (url && token) return Server.attach(url, token)
    return file ? Server.attach(...ready(file)) : Server.start()
  }

  /**
   * One that runs already, by its address and its admin token; it is asked whether it is there.
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
      throw new StartError(`no server of ours at ${server.url}: ${why}`, { cause })
    }
    return server
  }

  /**
   * One of our own on a free port, in memory, with a journal; `flags` are those of `roost serve`. The program is
   * `binary`, or what ROOST_BIN names, or `roost` on the PATH. It keeps nobody from ending, and ends with them.
   *
   * @param {{ flags?: string[], binary?: string, timeout?: number }} [how]
   */
  static async start({ flags = [], binary = process.env['ROOST_BIN'] || 'roost', timeout = START } = {}) {
    const env = { ...process.env }
    for (const name of NOT_FOR_OURS) delete env[name]
    const child = spawn(binary, ['exec', ...flags, '--', process.execPath, '-e', HOLD], { env })
    let words = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (words = (words + text).slice(-WORDS)))
    // Whoever goes first need not be told that the other has gone.
    child.stdin.on('error', () => {})
    const watch = setTimeout(() => child.kill('SIGKILL'), timeout)
    const line = await firstLine(child).finally(() => clearTimeout(watch))
    if (line === undefined) {
      child.stdin.end()
      const said = words.trim() || 'it said nothing'
      throw new StartError(`${binary} did not start (${child.exitCode ?? child.signalCode}): ${said}`)
    }
    for (const held of [child, child.stdin, child.stdout, child.stderr]) {
      // The three are lines to another process, which can be let go of; their types do not say so.
      ;/** @type {{ unref(): void }} */ (/** @type {unknown} */ (held)).unref()
    }
    return new Server(line.url, line.token, child)
  }

  /**
   * A world of its own.
   *
   * @param {Wish} [wish]
   */
  async world({ source, account, ...wish } = {}) {
    const asked = { ttl: TTL, ...wish, ...(source === undefined ? {} : { from: source }) }
    const world = new World(this, /** @type {MadeWorld} */ (await this.admin.post('/worlds', asked)))
    try {
      await world.admin.patch('/journal', { enabled: true })
      if (account !== undefined) await world.seed(account)
    } catch (why) {
      await world.remove()
      throw why
    }
    return world
  }

  /** Of a server of our own: whether it lives. Of another that is not known, and so it is said to. */
  get isRunning() {
    return this.child === undefined || !hasEnded(this.child)
  }

  /** Ends a server of our own; another is left as it is. */
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
    throw new StartError(`ROOST_READY_FILE names no ready file of roost serve: ${String(cause)}`, { cause })
  }
  throw new StartError(`ROOST_READY_FILE names no ready file of roost serve: ${file}`)
}

/**
 * Undefined when it ended without one.
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
        'build it with `cargo build --package roost-cli` and put it on the PATH, or say in ROOST_BIN where it is'
      reject(new StartError(`${child.spawnfile} cannot be started: ${cause.message}; ${todo}`, { cause }))
    })
  })
}
