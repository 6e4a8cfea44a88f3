// Made by declare.mjs; not written by hand.
/**
 * Throws if the options are no object or one of them does not exist: it would have no effect, and the test would pass or fail for another reason.
 *
 * @param {object} options
 * @param {readonly string[]} names The options that exist.
 */
export function checkOptions(options: object, names: readonly string[]): void;
/** Milliseconds to wait for work unless a test says otherwise: less than the limit of a test in vitest. */
export const SETTLE: 4000;
