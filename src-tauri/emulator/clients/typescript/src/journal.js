/** The request journal of a world: find, count, wait for and verify requests. */
import { writeFile } from 'node:fs/promises'
import { NotVerified } from './errors.js'
import { matcher } from './faults.js'
import { SETTLE, checkOptions } from './options.js'

/**
 * @import {
 *   FoundRequests, JournalLine, JournalPosition, Matcher, Operation, OperationGroup, RequestPage, UnmatchedRequest,
 *   UnmatchedPage, Verified, VerifyRequest
 * } from '../gen/types.d.ts'
 */

/**
 * @typedef {object} Since
 * @property {JournalPosition} [since] Only lines after this position, from `place`.
 */
/**
 * @typedef {object} Timeout
 * @property {number} [timeout] Milliseconds to wait.
 */

/**
 * @typedef {object} Times
 * @property {number} [exactly]
 * @property {number} [atLeast]
 * @property {number} [atMost]
 */

const WHERE = ['since']
const WAIT = [...WHERE, 'timeout']
const VERIFY = [...WAIT, 'exactly', 'atLeast', 'atMost']

/** How many of the matching requests a failure shows. */
const FITS = 5

/** A `match` is a matcher, or the name of an operation such as 'contacts.create'. Without it, every request matches. */
export class Journal {
  /** @param {import('./admin.js').Admin} admin */
  constructor(admin) {
    /** @private */
    this.admin = admin
  }

  /**
   * The newest lines, oldest first: a hundred, or `last`.
   *
   * @param {number} [last]
   */
  async lines(last) {
    const { items } = /** @type {RequestPage} */ (await this.admin.get('/requests', { limit: last }))
    return items
  }

  /**
   * The newest thousand matching requests, oldest first.
   *
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {Since} [where]
   */
  async find(match, where = {}) {
    checkOptions(where, WHERE)
    const { since } = where
    const asked = { match: matcher(match), since, limit: 1000 }
    const { items } = /** @type {FoundRequests} */ (await this.admin.post('/journal/find', asked))
    return items
  }

  /**
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {Since} [where]
   */
  async count(match, where = {}) {
    checkOptions(where, WHERE)
    const { since } = where
    const asked = { match: matcher(match), since }
    const { count } = /** @type {{ count: number }} */ (await this.admin.post('/journal/count', asked))
    return count
  }

  /**
   * The numbers of the matching lines. Throws NotVerified if there are not as many as expected: at least one, unless
   * a bound is given. With a `timeout`, waits for them; with `exactly` or `atMost` for the whole time, because a later
   * request can still be one too many.
   *
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {Times & Since & Timeout} [wanted]
   */
  async verify(match, wanted = {}) {
    checkOptions(wanted, VERIFY)
    const { since, timeout, exactly, atLeast, atMost } = wanted
    const bounds = Object.entries({ exactly, at_least: atLeast, at_most: atMost })
    const times = Object.fromEntries(bounds.filter(([, bound]) => bound !== undefined))
    const asked = { match: matcher(match), ...(since === undefined ? {} : { since }) }
    return this.ask(Object.keys(times).length > 0 ? { ...asked, times } : asked, timeout)
  }

  /**
   * Verifies that the requests came in this order. Others may come between them.
   *
   * @param {(Operation | OperationGroup | Matcher)[]} matches
   * @param {Since & Timeout} [where]
   */
  async verifyOrder(matches, where = {}) {
    checkOptions(where, WAIT)
    const { since, timeout } = where
    const match = matches.map((one) => matcher(one))
    return this.ask({ match, order: true, ...(since === undefined ? {} : { since }) }, timeout)
  }

  /**
   * Waits for the first matching request and returns it. Throws NotVerified if none arrives within four seconds, or
   * `timeout` milliseconds.
   *
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {Since & Timeout} [where]
   */
  async wait(match, where = {}) {
    checkOptions(where, WAIT)
    const [first] = await this.verify(match, { timeout: SETTLE, ...where })
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
   * The request as a curl command, with secrets as variables.
   *
   * @param {number} seq
   * @returns {Promise<string>}
   */
  curl(seq) {
    return this.admin.get(`/requests/${seq}/curl`)
  }

  /**
   * Writes the lines as an HTTP archive, for browsers and `roost replay`. `filter` is the same as for `roost tail`, for
   * example 'status:4xx'.
   *
   * @param {string | URL} file
   * @param {{ filter?: string }} [which]
   */
  async save(file, which = {}) {
    checkOptions(which, ['filter'])
    const { filter } = which
    const archive = await this.admin.get('/journal/har', { filter })
    await writeFile(file, `${JSON.stringify(archive, undefined, 2)}\n`)
  }

  /** The unmatched requests, each with the route that was probably meant. */
  async unmatched() {
    const { items } = /** @type {UnmatchedPage} */ (await this.admin.get('/unmatched', { page_size: 1000 }))
    return /** @type {UnmatchedRequest[]} */ (items)
  }

  /** The current position in the journal, for `since`. */
  async place() {
    const { next } = /** @type {RequestPage} */ (await this.admin.get('/requests', { limit: 1 }))
    return next
  }

  async clear() {
    await this.admin.delete('/requests')
  }

  /**
   * @private
   * @param {VerifyRequest} wanted
   * @param {number} [timeout]
   */
  async ask(wanted, timeout = 0) {
    const asked = { ...wanted, timeout: `${timeout}ms` }
    const verified = /** @type {Verified} */ (
      await this.admin.call('POST', '/journal/verify', asked, {}, timeout)
    )
    if (verified.verified) return verified.lines
    const fits = await Promise.all(verified.lines.slice(0, FITS).map((seq) => this.line(seq)))
    throw new NotVerified(verified, said(verified, wanted.match, fits))
  }
}

/**
 * @param {Verified} verified
 * @param {unknown} match
 * @param {JournalLine[]} fits
 */
function said(verified, match, fits) {
  const lines = [`expected ${verified.wanted}, found ${verified.matched} of ${JSON.stringify(match)}`]
  for (const line of fits) lines.push(`  matches: ${outline(line)}`)
  for (const near of verified.nearest) {
    lines.push(`  near: ${outline(near)}`)
    for (const miss of near.misses)
      lines.push(`    ${miss.field}: expected ${miss.wanted}, found ${miss.found}`)
  }
  return lines.join('\n')
}

/** @param {Pick<JournalLine, 'seq' | 'method' | 'url' | 'status'>} line */
function outline({ seq, method, url, status }) {
  return `line ${seq}, ${method} ${plain(url)}, ${status ?? 'no response'}`
}

/**
 * Removes the part that selects the world.
 *
 * @param {string} url
 */
export function plain(url) {
  return url.replace(/^\/w\/[^/?]+/, '')
}
