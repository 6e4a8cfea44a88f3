// Made by declare.mjs; not written by hand.
/** @import { JournalLine } from '../gen/types.d.ts' */
/**
 * @param {import('./world.js').World} world
 * @param {number} last
 */
export function story(world: import("./world.js").World, last: number): Promise<string>;
