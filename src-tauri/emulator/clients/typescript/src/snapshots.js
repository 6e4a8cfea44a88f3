/** What a world was like, kept under a name. */

/** @import { Reset, Snapshot, SnapshotPage, StateDiff } from '../gen/types.d.ts' */

/** Taken, listed, gone back to, forgotten. A name has a-z, 0-9 and the hyphen. */
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
   * Back to it, jobs and all; what is under way can neither answer nor write any more.
   *
   * @param {string} name
   * @returns {Promise<Reset>}
   */
  restore(name) {
    return this.admin.post(`/snapshots/${name}/restore`)
  }

  /**
   * What was added, removed and changed, by resource; `seed` and `now` are names, too. `ignore` names resources and
   * fields that are of no interest: ['jobs', 'lists.updated_at'].
   *
   * @param {string} [from]
   * @param {string} [to]
   * @param {{ ignore?: string[] }} [how]
   * @returns {Promise<StateDiff>}
   */
  diff(from = 'seed', to = 'now', { ignore } = {}) {
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
