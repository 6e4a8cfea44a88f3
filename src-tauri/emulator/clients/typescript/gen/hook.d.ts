// Made by declare.mjs; not written by hand.
/** @import { Hook as Received, HookAnswer } from '../gen/types.d.ts' */
/** Give its `url` as `callback_url`. It answers 200 unless `answers` sets something else. */
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
     * Answers with these in turn, then with 200: `hook.answers(500, { status: 503, headers: { 'Retry-After': '5' } })`.
     *
     * @param {HookAnswer[]} answers
     */
    answers(...answers: HookAnswer[]): Promise<void>;
    /** The calls so far, oldest first. `json` is the body, `answered` the status of the answer. */
    calls(): Promise<import("../gen/types.d.ts").HookCall[]>;
    /**
     * Waits until there are `count` calls and returns them. Throws NotSettled if they do not arrive within four
     * seconds, or `timeout` milliseconds.
     *
     * @param {number} [count]
     * @param {{ timeout?: number }} [how]
     */
    wait(count?: number, how?: {
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
