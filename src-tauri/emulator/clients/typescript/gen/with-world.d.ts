// Made by declare.mjs; not written by hand.
/** The server of this process: the one that the environment names, or one that ends with the process. */
export function server(): Promise<Server>;
/**
 * `test('…', withWorld(async (world) => {…}))`, with the world's options before the function if needed. The world
 * is removed when the test ends. A failure, including the runner's timeout, shows the world's last requests.
 *
 * @template [Context=unknown]
 * @overload
 * @param {(world: World, context: Context) => unknown} act
 * @returns {(context: Context) => Promise<void>}
 */
export function withWorld<Context = unknown>(act: (world: World, context: Context) => unknown): (context: Context) => Promise<void>;
/**
 * @template [Context=unknown]
 * @overload
 * @param {Wish} wish
 * @param {(world: World, context: Context) => unknown} act
 * @returns {(context: Context) => Promise<void>}
 */
export function withWorld<Context = unknown>(wish: Wish, act: (world: World, context: Context) => unknown): (context: Context) => Promise<void>;
import { Server } from './server.js';
import type { World } from './world.js';
import type { Wish } from './server.js';
