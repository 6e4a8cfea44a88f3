/** A world: an account, jobs, callbacks, a journal, faults and limits of its own. */
import { Admin, PATIENCE } from './admin.js'
import { AdminError, NotSettled, NotThere } from './errors.js'
import { Faults } from './faults.js'
import { Hook } from './hook.js'
import { Journal } from './journal.js'
import { Snapshots } from './snapshots.js'
import { story, unsettled } from './story.js'

/**
 * @import {
 *   AdvanceWish, Callback, CallbackWaited, Clock, ClockAdvanced, Job, MadeWorld, Reset, Seeded, Settings
 * } from '../gen/types.d.ts'
 */

/** Goes away when it is removed, or with `await using` where the language has it, and all that goes on in it. */
export class World {
  /**
   * @param {import('./server.js').Server} server
   * @param {MadeWorld} made
   */
  constructor(server, made) {
    this.server = server
    this.name = made.id
    /** Where it is called, with any key. */
    this.url = rebased(made.base_url, server)
    /** Names it wherever it is called: show it in the header X-AUTH-KEY at `server.url` or at `url`. */
    this.key = made.api_key
    /** Good for this world's admin routes and for nothing else. */
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
   * Another world of the same server, that goes away with this one.
   *
   * @param {import('./server.js').Wish} [wish]
   */
  async another(wish) {
    const world = await this.server.world(wish)
    this.others.push(world)
    return world
  }

  /**
   * Calls the interface with this world's key, for what a test wants to arrange or to look at by itself. A lost answer
   * is thrown as `fetch` throws it.
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
    return fetch(`${this.url}${path}`, { method, redirect: 'manual', signal, ...body, ...init, headers })
  }

  /**
   * Back to the seed; `keep` may name settings, limits, faults, journal, clock and random. What was under way before can
   * neither answer nor write any more.
   *
   * @param {string[]} keep
   * @returns {Promise<Reset>}
   */
  reset(...keep) {
    return this.admin.post('/reset', undefined, { keep: keep.length > 0 ? keep.join(',') : undefined })
  }

  /**
   * The whole account, in the form of `export` or as the text of a seed file (JSON, YAML): what the world holds now, and
   * goes back to unless only `once`.
   *
   * @param {object | string} account
   * @param {{ once?: boolean }} [how]
   * @returns {Promise<Seeded>}
   */
  seed(account, { once } = {}) {
    return this.admin.put('/seed', account, { once: once ? true : undefined })
  }

  /**
   * The whole account, in the form that `seed` takes.
   *
   * @returns {Promise<Record<string, unknown>>}
   */
  export() {
    return this.admin.get('/export')
  }

  /**
   * Settings by their names, all or none: `world.set({ limits: 'off' })`.
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
  async callbacks({ state, correlationId } = {}) {
    const query = { state, correlation_id: correlationId }
    const { items } = /** @type {{ items: Callback[] }} */ (await this.admin.get('/callbacks', query))
    return items
  }

  /**
   * A receiver for callbacks, by its name: a-z, 0-9 and the hyphen.
   *
   * @param {string} [name]
   */
  hook(name = 'inbox') {
    return new Hook(this, name)
  }

  /**
   * Moves the clock on and does what becomes due, in its order: `advance('1h')`, `advance({ until: 'idle' })`. Answers
   * when all of it is done, and what that was.
   *
   * @param {string | AdvanceWish} by
   * @returns {Promise<ClockAdvanced>}
   */
  advance(by) {
    const wish = typeof by === 'string' ? { by } : by
    return this.admin.call('POST', '/clock/advance', wish, {}, PATIENCE)
  }

  /**
   * Waits until no job waits and no callback is owed, and answers how they ended; callbacks that are held may stay.
   * Throws NotSettled when that takes longer than five seconds, or the time that is given; at once when all that is left
   * waits for somebody, or for a clock that stands still, which `advance` moves.
   *
   * @param {number | { timeout?: number, correlationId?: string }} [how] Milliseconds, alone or as `timeout`; only jobs
   *   of one correlation id.
   * @returns {Promise<CallbackWaited>}
   */
  async settle(how = {}) {
    const { timeout = 5000, correlationId } = typeof how === 'number' ? { timeout: how } : how
    const asked = { timeout: `${timeout}ms`, correlation_id: correlationId }
    const waited = /** @type {CallbackWaited} */ (
      await this.admin.call('POST', '/settle', asked, {}, timeout)
    )
    if (waited.settled) return waited
    const clock = /** @type {Clock} */ (await this.admin.get('/clock'))
    throw new NotSettled(unsettled(waited, clock), waited)
  }

  /** What was asked last and which faults were met, for whoever wonders why a test failed. */
  story(last = 10) {
    return story(this, last)
  }

  /** Nothing of it is left afterwards. Gone already, it stays gone. */
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
 * The server tells the address it knows itself by; from a container or through a tunnel it has another.
 *
 * @param {string} url
 * @param {import('./server.js').Server} server
 */
function rebased(url, server) {
  return server.url + new URL(url).pathname
}
