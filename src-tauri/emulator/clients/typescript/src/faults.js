/** Faults on purpose: which requests meet them, what happens, how often. */
import { OPERATIONS } from './operations.js'

/** @import { Effect, Fault, FaultRule, FaultPage, Matcher, Operation } from '../gen/types.d.ts' */

/**
 * @typedef {object} When
 * @property {number} [first] Only the first so many that fit.
 * @property {string} [name] What the journal calls it.
 */

/**
 * A text is the name of an operation, such as 'contacts.create'; nothing is every request.
 *
 * @param {Operation | Matcher} [match]
 * @returns {Matcher}
 */
export function matcher(match = {}) {
  if (typeof match !== 'string') return match
  // No request would ever fit, and nobody would say why.
  if (!OPERATIONS.includes(match)) {
    throw new TypeError(`there is no operation '${match}'; there are ${OPERATIONS.join(', ')}`)
  }
  return { operation: match }
}

/** `fail`, `lose` and `delay` are what most tests want; `add` takes any rule there is. */
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
   * An error of the service's own shape, and nothing is done.
   *
   * @param {number} status
   * @param {Operation | Matcher} [match]
   * @param {When & { retryAfter?: number, error?: string }} [when] `retryAfter` is in seconds.
   */
  async fail(status, match, { retryAfter, error, ...when } = {}) {
    const effect = {
      status,
      error: error ?? null,
      retry_after: retryAfter === undefined ? null : `${retryAfter}s`,
    }
    return this.arm(effect, match, when)
  }

  /**
   * The request is done and stored, and the line is torn down in the place of its answer; once, unless `first` says
   * how often.
   *
   * @param {Operation | Matcher} [match]
   * @param {When} [when]
   */
  async lose(match, when = {}) {
    return this.arm({ line: 'reset' }, match, { first: 1, ...when }, { commit: 'after' })
  }

  /**
   * The answer comes so much later, in real time.
   *
   * @param {number} milliseconds
   * @param {Operation | Matcher} [match]
   * @param {When} [when]
   */
  async delay(milliseconds, match, when = {}) {
    return this.arm({ latency: { fixed: `${milliseconds}ms` } }, match, when)
  }

  /** In the order they are tried, each with how many requests it met (`hits`). */
  async all() {
    const { items } = /** @type {FaultPage} */ (await this.admin.get('/faults/rules', { page_size: 1000 }))
    return items
  }

  /** @param {string} name */
  async remove(name) {
    await this.admin.delete(`/faults/rules/${name}`)
  }

  /** Disarms rules, plan and profile. */
  async clear() {
    await this.admin.delete('/faults')
  }

  /**
   * A named set of rules, such as 'flaky'; null for none.
   *
   * @param {string | null} name
   */
  async profile(name) {
    await this.admin.put('/faults/profile', { name })
  }

  /**
   * @private
   * @param {Effect} effect
   * @param {Operation | Matcher | undefined} match
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
