/** What was asked of a world: found, counted, waited for, verified. */
import { NotVerified } from './errors.js'
import { matcher } from './faults.js'

/**
 * @import {
 *   FoundRequests, JournalLine, JournalPlace, Matcher, Operation, Requests, Stray, Unmatched, Verified, Verify,
 *   VerifyTimes
 * } from '../gen/types.d.ts'
 */

/**
 * @typedef {object} Since
 * @property {JournalPlace} [since] Only lines after this one, as `place` tells it.
 */
/**
 * @typedef {object} Timeout
 * @property {number} [timeout] Milliseconds to wait for it.
 */

/** A `match` is a matcher, or the name of an operation such as 'contacts.create'; none is every request. */
export class Journal {
  /** @param {import('./admin.js').Admin} admin */
  constructor(admin) {
    /** @private */
    this.admin = admin
  }

  /**
   * The newest lines, oldest first; a hundred of them unless `last` says how many.
   *
   * @param {number} [last]
   */
  async lines(last) {
    const { items } = /** @type {Requests} */ (await this.admin.get('/requests', { limit: last }))
    return items
  }

  /**
   * The requests that fit, oldest first, the newest thousand of them.
   *
   * @param {Operation | Matcher} [match]
   * @param {Since} [where]
   */
  async find(match, { since } = {}) {
    const asked = { match: matcher(match), since, limit: 1000 }
    const { requests } = /** @type {FoundRequests} */ (await this.admin.post('/requests/find', asked))
    return requests
  }

  /**
   * @param {Operation | Matcher} [match]
   * @param {Since} [where]
   */
  async count(match, { since } = {}) {
    const asked = { match: matcher(match), since }
    const { count } = /** @type {{ count: number }} */ (await this.admin.post('/requests/count', asked))
    return count
  }

  /**
   * The numbers of the lines that fit. Throws NotVerified when they are not as many as wanted: at least one, unless
   * something else is said. With a `timeout` it waits for them.
   *
   * @param {Operation | Matcher} [match]
   * @param {VerifyTimes & Since & Timeout} [wanted]
   */
  verify(match, { since, timeout, ...times } = {}) {
    const asked = { match: matcher(match), ...(since === undefined ? {} : { since }) }
    return this.ask(Object.keys(times).length > 0 ? { ...asked, times } : asked, timeout)
  }

  /**
   * Whether they came one after another; others may come between.
   *
   * @param {(Operation | Matcher)[]} matches
   * @param {Since & Timeout} [where]
   */
  verifyOrder(matches, { since, timeout } = {}) {
    const match = matches.map((one) => matcher(one))
    return this.ask({ match, order: true, ...(since === undefined ? {} : { since }) }, timeout)
  }

  /**
   * The first request that fits, as soon as it is there; NotVerified when none came within five seconds, or in the
   * time that is given.
   *
   * @param {Operation | Matcher} [match]
   * @param {Since & Timeout} [where]
   */
  async wait(match, where) {
    const [first] = await this.verify(match, { timeout: 5000, ...where })
    return this.line(/** @type {number} */ (first))
  }

  /**
   * @param {number} seq
   * @returns {Promise<JournalLine>}
   */
  line(seq) {
    return this.admin.get(`/requests/${seq}`)
  }

  /**
   * The request as a line for a shell, secrets as variables.
   *
   * @param {number} seq
   * @returns {Promise<string>}
   */
  curl(seq) {
    return this.admin.get(`/requests/${seq}/curl`)
  }

  /** Requests that led nowhere, each with the route that was probably meant. */
  async unmatched() {
    const { items } = /** @type {Unmatched} */ (await this.admin.get('/unmatched'))
    return /** @type {Stray[]} */ (items)
  }

  /** Where the journal is now, for `since`. */
  async place() {
    const { next } = /** @type {Requests} */ (await this.admin.get('/requests', { limit: 1 }))
    return next
  }

  async clear() {
    await this.admin.delete('/requests')
  }

  /**
   * @private
   * @param {Verify} wanted
   * @param {number} [timeout]
   */
  async ask(wanted, timeout = 0) {
    const asked = { ...wanted, timeoutMs: timeout }
    const verified = /** @type {Verified} */ (
      await this.admin.call('POST', '/requests/verify', asked, {}, timeout)
    )
    if (!verified.verified) throw new NotVerified(verified, said(verified, wanted.match))
    return verified.lines
  }
}

/**
 * @param {Verified} verified
 * @param {unknown} match
 */
function said(verified, match) {
  const lines = [`wanted ${verified.wanted}, found ${verified.matched} of ${JSON.stringify(match)}`]
  for (const near of verified.nearest) {
    lines.push(`  near: line ${near.seq}, ${near.method} ${plain(near.url)}, ${near.status ?? 'no answer'}`)
    for (const miss of near.misses)
      lines.push(`    ${miss.field}: wanted ${miss.wanted}, found ${miss.found}`)
  }
  return lines.join('\n')
}

/**
 * Without the part that names the world.
 *
 * @param {string} url
 */
export function plain(url) {
  return url.replace(/^\/w\/[^/?]+/, '')
}
