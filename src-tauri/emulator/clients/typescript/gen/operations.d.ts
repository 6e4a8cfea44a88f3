// Made by declare.mjs; not written by hand.
/** @type {readonly import('../gen/types.d.ts').Operation[]} The operations of the interface. */
export const OPERATIONS: readonly import("../gen/types.d.ts").Operation[];
