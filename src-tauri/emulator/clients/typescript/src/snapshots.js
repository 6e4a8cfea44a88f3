/** Snapshots of a world, and comparisons with them. */
import { checkOptions } from './options.js'

/** @import { ResetReport, Snapshot, SnapshotPage, StateDiff } from '../gen/types.d.ts' */

/** Take, compare, list, restore and remove snapshots. A name consists of a-z, 0-9 and -. */
export class Snapshots {
  /** @param {import('./admin.js').Admin} admin */
  constructor(admin) {
    /** @private */
    this.admin = admin
  }

  /**
   * @param {string} name
   * @returns {Promise<Snapshot>}
   */
  take(name) {
    return this.admin.post('/snapshots', { name })
  }

  /**
   * Restores it, including jobs, callbacks, fault rules, policies and receivers. The journal is cleared, and work in
   * progress ends without a response.
   *
   * @param {string} name
   * @returns {Promise<ResetReport>}
   */
  restore(name) {
    return this.admin.post(`/snapshots/${name}/restore`)
  }

  /**
   * What was added, removed and changed between two snapshots, by resource. `seed`, `now` and `@7`, the state after
   * line 7 of the journal and its job, work too. `arrangement` lists other changes: settings, policies, fault rules,
   * receivers, the clock and everything else that a test can arrange. `ignore`: what to ignore, for example
   * ['jobs', 'lists.updated_at', 'settings'].
   *
   * @param {string} [from]
   * @param {string} [to]
   * @param {{ ignore?: string[] }} [how]
   * @returns {Promise<StateDiff>}
   */
  diff(from = 'seed', to = 'now', how = {}) {
    checkOptions(how, ['ignore'])
    const { ignore } = how
    return this.admin.get(`/snapshots/${from}/diff/${to}`, { ignore: ignore?.join(',') })
  }

  async all() {
    const { items } = /** @type {SnapshotPage} */ (await this.admin.get('/snapshots', { page_size: 1000 }))
    return items
  }

  /** @param {string} name */
  async remove(name) {
    await this.admin.delete(`/snapshots/${name}`)
  }
}
