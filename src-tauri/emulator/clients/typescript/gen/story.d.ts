// Made by declare.mjs; not written by hand.
/** @import { Callback, CallbackWaited, Clock, Job, JournalLine } from '../gen/types.d.ts' */
/**
 * @param {import('./world.js').World} world
 * @param {number} last
 */
export function story(world: import("./world.js").World, last: number): Promise<string>;
/**
 * What was not done when the time was up.
 *
 * @param {CallbackWaited} waited
 * @param {Clock} clock
 */
export function unsettled(waited: CallbackWaited, { mode, now }: Clock): string;
import type { CallbackWaited } from '../gen/types.d.ts';
import type { Clock } from '../gen/types.d.ts';
