/** A world: an account, jobs, callbacks, a journal, faults and limits of its own. */
import { Admin, PATIENCE } from './admin.js'
import { AdminError, NotSettled, NotThere } from './errors.js'
import { Faults } from './faults.js'
import { Hook } from './hook.js'
import { Journal } from './journal.js'
import { SETTLE, checkOptions } from './options.js'
import { Snapshots } from './snapshots.js'
import { story, unsettled } from './story.js'

/**
 * @import {
 *   AdvanceRequest, Callback, SettleResult, Clock, ClockAdvanced, Job, CreatedWorld, ResetReport, SeedResult, Settings
 * } from '../gen/types.d.ts'
 */

/** Ends with `remove`, or with `await using` if the language has it, with everything in it. */
export class World {
  /**
   * @param {import('./server.js').Server} server
   * @param {CreatedWorld} made
   */
  constructor(server, made) {
    this.server = server
    this.name = made.id
    /** Its base address. Any key works there. */
    this.url = rebased(made.base_url, server)
    /** Selects the world: send it in the header X-AUTH-KEY to `server.url` or `url`. */
    this.key = made.api_key
    /** The token of this world's admin routes. */
    this.token = made.admin_token
    /** Every admin route of this world: `world.admin.post('/senders', {…})`. */
    this.admin = new Admin(rebased(made.admin_url, server), made.admin_token)
    this.faults = new Faults(this.admin)
    this.journal = new Journal(this.admin)
    this.snapshots = new Snapshots(this.admin)
    /**
     * @private
     * @type {World[]}
     */
    this.others = []
  }

  /**
   * Creates another world of the same server. It is removed with this one.
   *
   * @param {import('./server.js').Wish} [wish]
   */
  async another(wish) {
    const world = await this.server.world(wish)
    this.others.push(world)
    return world
  }

  /**
   * Sends a request with this world's key, to prepare or inspect something in a test. A lost response throws the error
   * of `fetch`.
   *
   * @param {string} method
   * @param {string} path
   * @param {unknown} [json]
   * @param {RequestInit} [init]
   */
  send(method, path, json, init = {}) {
    const headers = new Headers(init.headers)
    if (!headers.has('x-auth-key')) headers.set('x-auth-key', this.key)
    if (json !== undefined) headers.set('content-type', 'application/json')
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const signal = AbortSignal.timeout(PATIENCE)
    return fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      signal,
      ...body,
      ...init,
      headers,
    })
  }

  /**
   * Resets to the seed. `keep`: settings, limits, faults, journal, clock, random. Work in progress ends without a
   * response.
   *
   * @param {string[]} keep
   * @returns {Promise<ResetReport>}
   */
  reset(...keep) {
    return this.admin.post('/reset', undefined, {
      keep: keep.length > 0 ? keep.join(',') : undefined,
    })
  }

  /**
   * Replaces the account with this one, in the form of `export` or as the text of a seed file (JSON, YAML). A reset
   * returns to it, unless `once` is set.
   *
   * @param {object | string} account
   * @param {{ once?: boolean }} [how]
   * @returns {Promise<SeedResult>}
   */
  seed(account, how = {}) {
    checkOptions(how, ['once'])
    const { once } = how
    return this.admin.put('/seed', account, { once: once ? true : undefined })
  }

  /**
   * The whole account in the form of `seed`.
   *
   * @returns {Promise<Record<string, unknown>>}
   */
  export() {
    return this.admin.get('/export')
  }

  /**
   * Changes settings by name, all or none: `world.set({ limits: 'off' })`.
   *
   * @param {Settings} settings
   */
  async set(settings) {
    await this.admin.patch('/settings', settings)
  }

  /** Contact jobs, newest first. */
  async jobs() {
    const { items } = /** @type {{ items: Job[] }} */ (await this.admin.get('/jobs'))
    return items
  }

  /**
   * Callbacks with every attempt, newest first.
   *
   * @param {{ state?: Callback['state'], correlationId?: string }} [which]
   */
  async callbacks(which = {}) {
    checkOptions(which, ['state', 'correlationId'])
    const { state, correlationId } = which
    const query = { state, correlation_id: correlationId }
    const { items } = /** @type {{ items: Callback[] }} */ (await this.admin.get('/callbacks', query))
    return items
  }

  /**
   * The receiver of this name: a-z, 0-9 and -.
   *
   * @param {string} [name]
   */
  hook(name = 'inbox') {
    return new Hook(this, name)
  }

  /**
   * Moves the clock forward and runs what becomes due, in order: `advance('1h')`, `advance({ until: 'idle' })`. `ran`
   * lists it.
   *
   * @param {string | AdvanceRequest} by
   * @returns {Promise<ClockAdvanced>}
   */
  advance(by) {
    if (typeof by === 'number') {
      throw new TypeError(`expected a duration with its unit, such as '${by}ms' or '1h', got ${by}`)
    }
    const wish = typeof by === 'string' ? { by } : by
    return this.admin.call('POST', '/clock/advance', wish, {}, PATIENCE)
  }

  /**
   * Waits until no job is waiting and no callback is due. Held callbacks do not count. Throws NotSettled if that takes
   * longer than four seconds or `timeout`, or immediately if waiting cannot help: a job that is run by hand, or
   * something due later on a frozen clock, which `advance` moves.
   *
   * @param {number | { timeout?: number, correlationId?: string }} [how] Milliseconds, alone or as `timeout`. With
   *   `correlationId`, only jobs that have it.
   * @returns {Promise<SettleResult>}
   */
  async settle(how = {}) {
    const options = typeof how === 'number' ? { timeout: how } : how
    checkOptions(options, ['timeout', 'correlationId'])
    const { timeout = SETTLE, correlationId } = options
    const asked = { timeout: `${timeout}ms`, correlation_id: correlationId }
    const waited = /** @type {SettleResult} */ (await this.admin.call('POST', '/settle', asked, {}, timeout))
    if (waited.settled) return waited
    const clock = /** @type {Clock} */ (await this.admin.get('/clock'))
    throw new NotSettled(unsettled(waited, clock), waited)
  }

  /** A summary for a failed test: the last requests, and which faults fired. */
  story(last = 10) {
    return story(this, last)
  }

  /** Removes the world. Does nothing if it was removed before. */
  async remove() {
    await Promise.all(this.others.splice(0).map((world) => world.remove()))
    try {
      await this.server.admin.delete(`/worlds/${this.name}`)
    } catch (why) {
      const isGone = why instanceof AdminError && why.status === 404
      if (!isGone && !(why instanceof NotThere && !this.server.isRunning)) throw why
    }
  }

  [Symbol.asyncDispose]() {
    return this.remove()
  }
}

/**
 * Replaces the host: from a container or through a tunnel, the server has another address than its own.
 *
 * @param {string} url
 * @param {import('./server.js').Server} server
 */
function rebased(url, server) {
  return server.url + new URL(url).pathname
}
