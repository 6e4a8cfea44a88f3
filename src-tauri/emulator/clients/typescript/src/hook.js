/** The built-in receiver of callbacks. You need no server of your own. */
import { NotSettled } from './errors.js'
import { SETTLE, checkOptions } from './options.js'

/** @import { Hook as Received, HookAnswer } from '../gen/types.d.ts' */

/** Give its `url` as `callback_url`. It answers 200 unless `answers` sets something else. */
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
   * Answers with these in turn, then with 200: `hook.answers(500, { status: 503, headers: { 'Retry-After': '5' } })`.
   *
   * @param {HookAnswer[]} answers
   */
  async answers(...answers) {
    await this.admin.put(`/hooks/${this.name}`, { answers })
  }

  /** The calls so far, oldest first. `json` is the body, `answered` the status of the answer. */
  async calls() {
    return (await this.received({})).items
  }

  /**
   * Waits until there are `count` calls and returns them. Throws NotSettled if they do not arrive within four
   * seconds, or `timeout` milliseconds.
   *
   * @param {number} [count]
   * @param {{ timeout?: number }} [how]
   */
  async wait(count = 1, how = {}) {
    checkOptions(how, ['timeout'])
    const { timeout = SETTLE } = how
    const { came, items } = await this.received({ count, wait: `${timeout}ms` }, timeout)
    if (came < count)
      throw new NotSettled(`${this.url}: expected ${count} calls within ${timeout} ms, ${came} arrived`)
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
