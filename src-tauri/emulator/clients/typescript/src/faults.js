/** Fault rules: which requests, what happens, how often. */
import { OPERATIONS } from './operations.js'
import { checkOptions } from './options.js'

/** @import { FaultEffect, Fault, FaultRule, FaultPage, Matcher, Operation, OperationGroup } from '../gen/types.d.ts' */

/**
 * @typedef {object} When
 * @property {number} [first] Only on this many matching requests, 1 for the next one. Default: on every one.
 * @property {string} [name] The name shown in the journal.
 */

const WHEN = ['first', 'name']

/**
 * A text is the name of an operation, such as 'contacts.create', or of a group of them, such as 'contacts'. Without it,
 * every request matches.
 *
 * @param {Operation | OperationGroup | Matcher} [match]
 * @returns {Matcher}
 */
export function matcher(match = {}) {
  if (typeof match !== 'string') return match
  // The rule would never match, without an error.
  if (!OPERATIONS.some((operation) => operation === match || operation.startsWith(`${match}.`))) {
    throw new TypeError(`unknown operation '${match}'; operations: ${OPERATIONS.join(', ')}`)
  }
  return { operation: match }
}

/**
 * `fail`, `lose` and `delay` cover most tests, and `add` takes any rule. Each rule fires on every request that matches,
 * unless `first` says on how many: `{ first: 1 }` for the next one only.
 */
export class Faults {
  /** @param {import('./admin.js').Admin} admin */
  constructor(admin) {
    /** @private */
    this.admin = admin
  }

  /**
   * @param {FaultRule} rule
   * @returns {Promise<Fault>}
   */
  add(rule) {
    return this.admin.post('/faults/rules', rule)
  }

  /**
   * Answers with an error in the service's own shape, without carrying out the request. A 429 has `Retry-After: 1`
   * unless `retryAfter` is given.
   *
   * @param {number} status
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {When & { retryAfter?: number, error?: string }} [when] `retryAfter` is in seconds.
   */
  async fail(status, match, when = {}) {
    checkOptions(when, [...WHEN, 'retryAfter', 'error'])
    const { retryAfter, error } = when
    const effect = {
      status,
      error: error ?? null,
      retry_after: retryAfter === undefined ? null : `${retryAfter}s`,
    }
    return this.arm(effect, match, when)
  }

  /**
   * Carries out and stores the request, then resets the connection instead of answering. With `{ first: 1 }` a retry
   * gets its response.
   *
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {When} [when]
   */
  async lose(match, when = {}) {
    checkOptions(when, WHEN)
    return this.arm({ line: 'reset' }, match, when, { commit: 'after' })
  }

  /**
   * Delays the response, in real time.
   *
   * @param {number} milliseconds
   * @param {Operation | OperationGroup | Matcher} [match]
   * @param {When} [when]
   */
  async delay(milliseconds, match, when = {}) {
    checkOptions(when, WHEN)
    return this.arm({ latency: { fixed: `${milliseconds}ms` } }, match, when)
  }

  /** The rules in the order in which they are tried. `hits` says how often each fired. */
  async all() {
    const { items } = /** @type {FaultPage} */ (await this.admin.get('/faults/rules', { page_size: 1000 }))
    return items
  }

  /** @param {string} name */
  async remove(name) {
    await this.admin.delete(`/faults/rules/${name}`)
  }

  /** Removes all rules, the plan and the profile. */
  async clear() {
    await this.admin.delete('/faults')
  }

  /**
   * Sets a profile, a named set of rules such as 'flaky'. Null removes it.
   *
   * @param {string | null} name
   */
  async profile(name) {
    await this.admin.put('/faults/profile', { name })
  }

  /**
   * @private
   * @param {FaultEffect} effect
   * @param {Operation | OperationGroup | Matcher | undefined} match
   * @param {When} when
   * @param {Partial<FaultRule>} [more]
   */
  arm(effect, match, { first, name }, more = {}) {
    return this.add({
      effect,
      ...more,
      ...(match === undefined ? {} : { match: matcher(match) }),
      ...(first === undefined ? {} : { apply: { first } }),
      ...(name === undefined ? {} : { name }),
    })
  }
}
