/** Milliseconds to wait for work unless a test says otherwise: less than the limit of a test in vitest. */
export const SETTLE = 4000

/**
 * Throws if an option does not exist: it would have no effect, and the test would pass or fail for another reason.
 *
 * @param {object} options
 * @param {readonly string[]} names The options that exist.
 */
export function checkOptions(options, names) {
  for (const option of Object.keys(options)) {
    if (names.includes(option)) continue
    const plain = option.replaceAll('_', '').toLowerCase()
    const meant = names.find((name) => name.toLowerCase() === plain)
    throw new TypeError(
      `unknown option '${option}'; ${meant === undefined ? `options: ${names.join(', ')}` : `did you mean '${meant}'?`}`,
    )
  }
}
