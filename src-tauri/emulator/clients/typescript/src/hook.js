/** A receiver of callbacks that the server has itself: nobody has to listen. */
import { NotSettled } from './errors.js'

/** @import { Hook as Received, HookAnswer } from '../gen/types.d.ts' */

/** Give its `url` as `callback_url`. It answers 200 unless told otherwise. */
export class Hook {
  /**
   * @param {import('./world.js').World} world
   * @param {string} name
   */
  constructor(world, name) {
    this.name = name
    this.url = `${world.server.url}/__hook/${world.name}/${name}`
    /** @private */
    this.admin = world.admin
  }

  /**
   * These one after the other, then 200 again: `hook.answers(500, { status: 503, headers: { 'Retry-After': '5' } })`.
   *
   * @param {HookAnswer[]} answers
   */
  async answers(...answers) {
    await this.admin.put(`/hooks/${this.name}`, { answers })
  }

  /** What came, oldest first; `json` is the body of each. */
  async calls() {
    return (await this.received({})).items
  }

  /**
   * The same as soon as so many came in all; NotSettled when they did not within five seconds, or in the time that is
   * given, in milliseconds.
   *
   * @param {number} [count]
   * @param {{ timeout?: number }} [how]
   */
  async wait(count = 1, { timeout = 5000 } = {}) {
    const { came, items } = await this.received({ count, wait: `${timeout}ms` }, timeout)
    if (came < count)
      throw new NotSettled(`${this.url}: wanted ${count} calls within ${timeout} ms, ${came} came`)
    return items
  }

  /**
   * @private
   * @param {import('./admin.js').Parameters} query
   * @param {number} [wait]
   * @returns {Promise<Received>}
   */
  received(query, wait) {
    return this.admin.call('GET', `/hooks/${this.name}`, undefined, query, wait)
  }
}
