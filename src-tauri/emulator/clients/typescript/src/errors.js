/** What can go wrong, each said in words that tell what to do. */

/** Any of them. */
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

/** No server could be started, or none is named well. */
export class StartError extends RoostError {}

/** Nobody answers at the address. */
export class NotThere extends RoostError {}

/** The server says no, in its own words behind what it was asked. */
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

/** The requests did not come as they were to come; the text tells which came nearest and where they differ. */
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

/** Jobs or callbacks were not done in time, or less came to a receiver than was to come. */
export class NotSettled extends RoostError {
  /**
   * @param {string} text
   * @param {import('../gen/types.d.ts').CallbackWaited} [waited]
   */
  constructor(text, waited) {
    super(text)
    this.waited = waited
  }
}
