/** A world: an account, jobs, callbacks, a journal, faults and limits of its own. */
import { Admin, PATIENCE } from './admin.js'
import { AdminError, NotThere } from './errors.js'
import { Faults } from './faults.js'
import { Journal } from './journal.js'
import { Snapshots } from './snapshots.js'
import { story } from './story.js'

/** @import { Callback, Job, MadeWorld, Reset, Seeded, Settings } from '../gen/types.d.ts' */

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
   * Back to the seed; `keep` may name settings, limits, faults and journal. Of an earlier epoch nothing comes.
   *
   * @param {string[]} keep
   * @returns {Promise<Reset>}
   */
  reset(...keep) {
    return this.admin.post('/reset', undefined, { keep: keep.length > 0 ? keep.join(',') : undefined })
  }

  /**
   * The whole account, in the form of `export`: what the world holds now, and goes back to unless only `once`.
   *
   * @param {object} account
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
    await this.admin.put('/settings', settings)
  }

  /** Contact jobs, newest first. */
  async jobs() {
    const { items } = /** @type {{ items: Job[] }} */ (await this.admin.get('/jobs'))
    return items
  }

  /** Callbacks with every attempt, newest first. */
  async callbacks() {
    const { items } = /** @type {{ items: Callback[] }} */ (await this.admin.get('/callbacks'))
    return items
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
