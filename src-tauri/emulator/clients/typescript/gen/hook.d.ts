// Made by declare.mjs; not written by hand.
/** @import { Hook as Received, HookAnswer } from '../gen/types.d.ts' */
/** Give its `url` as `callback_url`. It answers 200 unless told otherwise. */
export class Hook {
    /**
     * @param {import('./world.js').World} world
     * @param {string} name
     */
    constructor(world: import("./world.js").World, name: string);
    name: string;
    url: string;
    /** @private */
    private admin;
    /**
     * These one after the other, then 200 again: `hook.answers(500, { status: 503, headers: { 'Retry-After': '5' } })`.
     *
     * @param {HookAnswer[]} answers
     */
    answers(...answers: HookAnswer[]): Promise<void>;
    /** What came, oldest first; `json` is the body of each. */
    calls(): Promise<import("../gen/types.d.ts").HookCall[]>;
    /**
     * The same as soon as so many came in all; NotSettled when they did not within five seconds, or in the time that is
     * given, in milliseconds.
     *
     * @param {number} [count]
     * @param {{ timeout?: number }} [how]
     */
    wait(count?: number, { timeout }?: {
        timeout?: number;
    }): Promise<import("../gen/types.d.ts").HookCall[]>;
    /**
     * @private
     * @param {import('./admin.js').Parameters} query
     * @param {number} [wait]
     * @returns {Promise<Received>}
     */
    private received;
}
import type { HookAnswer } from '../gen/types.d.ts';
