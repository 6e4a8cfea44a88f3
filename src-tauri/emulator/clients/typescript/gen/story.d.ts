// Made by declare.mjs; not written by hand.
/**
 * @param {import('./world.js').World} world
 * @param {number} last
 */
export function story(world: import("./world.js").World, last: number): Promise<string>;
/**
 * What was not done when the time was up.
 *
 * @param {SettleResult} waited
 * @param {Clock} clock
 */
export function unsettled(waited: SettleResult, { mode, now }: Clock): string;
import type { SettleResult } from '../gen/types.d.ts';
import type { Clock } from '../gen/types.d.ts';
