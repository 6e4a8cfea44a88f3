/** Milliseconds to wait for work unless a test says otherwise: less than the limit of a test in vitest. */
export const SETTLE = 4000

/**
 * Throws if the options are no object or one of them does not exist: it would have no effect, and the test would pass or fail for another reason.
 *
 * @param {object} options
 * @param {readonly string[]} names The options that exist.
 */
export function checkOptions(options, names) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(
      `expected an object with the options ${names.join(', ')}, got ${JSON.stringify(options)}`,
    )
  }
  for (const option of Object.keys(options)) {
    if (names.includes(option)) continue
    const plain = option.replaceAll('_', '').toLowerCase()
    const meant = names.find((name) => name.toLowerCase() === plain)
    throw new TypeError(
      `unknown option '${option}'; ${meant === undefined ? `options: ${names.join(', ')}` : `did you mean '${meant}'?`}`,
    )
  }
}
