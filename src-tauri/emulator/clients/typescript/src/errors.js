/** The errors of this package. Each message says what to do. */

/** Base class of all errors of this package. */
export class RoostError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options)
    this.name = new.target.name
  }
}

/** No server could be started, or the environment does not name one correctly. */
export class StartError extends RoostError {}

/** No server answers at the address. */
export class NotThere extends RoostError {}

/** The server refused a request. The message has the request and the server's error. */
export class AdminError extends RoostError {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} told
   */
  constructor(status, code, told) {
    super(`${told} (${status} ${code})`)
    this.status = status
    this.code = code
  }
}

/** The expected requests did not arrive. The message shows the nearest ones and their differences. */
export class NotVerified extends RoostError {
  /**
   * @param {import('../gen/types.d.ts').Verified} verified
   * @param {string} text
   */
  constructor(verified, text) {
    super(text)
    this.verified = verified
  }
}

/** Jobs or callbacks did not finish in time, or a receiver got fewer calls than expected. */
export class NotSettled extends RoostError {
  /**
   * @param {string} text
   * @param {import('../gen/types.d.ts').SettleResult} [waited]
   */
  constructor(text, waited) {
    super(text)
    this.waited = waited
  }
}
