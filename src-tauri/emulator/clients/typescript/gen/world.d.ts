// Made by declare.mjs; not written by hand.
/**
 * @import {
 *   AdvanceWish, Callback, CallbackWaited, Clock, ClockAdvanced, Job, MadeWorld, Reset, Seeded, Settings
 * } from '../gen/types.d.ts'
 */
/** Goes away when it is removed, or with `await using` where the language has it, and all that goes on in it. */
export class World {
    /**
     * @param {import('./server.js').Server} server
     * @param {MadeWorld} made
     */
    constructor(server: import("./server.js").Server, made: MadeWorld);
    server: import("./server.js").Server;
    name: string;
    /** Where it is called, with any key. */
    url: string;
    /** Names it wherever it is called: show it in the header X-AUTH-KEY at `server.url` or at `url`. */
    key: string;
    /** Good for this world's admin routes and for nothing else. */
    token: string;
    /** Every admin route of this world: `world.admin.post('/senders', {…})`. */
    admin: Admin;
    faults: Faults;
    journal: Journal;
    snapshots: Snapshots;
    /**
     * @private
     * @type {World[]}
     */
    private others;
    /**
     * Another world of the same server, that goes away with this one.
     *
     * @param {import('./server.js').Wish} [wish]
     */
    another(wish?: import("./server.js").Wish): Promise<World>;
    /**
     * Calls the interface with this world's key, for what a test wants to arrange or to look at by itself. A lost answer
     * is thrown as `fetch` throws it.
     *
     * @param {string} method
     * @param {string} path
     * @param {unknown} [json]
     * @param {RequestInit} [init]
     */
    send(method: string, path: string, json?: unknown, init?: RequestInit): Promise<Response>;
    /**
     * Back to the seed; `keep` may name settings, limits, faults, journal, clock and random. What was under way before can
     * neither answer nor write any more.
     *
     * @param {string[]} keep
     * @returns {Promise<Reset>}
     */
    reset(...keep: string[]): Promise<Reset>;
    /**
     * The whole account, in the form of `export` or as the text of a seed file (JSON, YAML): what the world holds now, and
     * goes back to unless only `once`.
     *
     * @param {object | string} account
     * @param {{ once?: boolean }} [how]
     * @returns {Promise<Seeded>}
     */
    seed(account: object | string, { once }?: {
        once?: boolean;
    }): Promise<Seeded>;
    /**
     * The whole account, in the form that `seed` takes.
     *
     * @returns {Promise<Record<string, unknown>>}
     */
    export(): Promise<Record<string, unknown>>;
    /**
     * Settings by their names, all or none: `world.set({ limits: 'off' })`.
     *
     * @param {Settings} settings
     */
    set(settings: Settings): Promise<void>;
    /** Contact jobs, newest first. */
    jobs(): Promise<Job[]>;
    /**
     * Callbacks with every attempt, newest first.
     *
     * @param {{ state?: Callback['state'], correlationId?: string }} [which]
     */
    callbacks({ state, correlationId }?: {
        state?: Callback["state"];
        correlationId?: string;
    }): Promise<Callback[]>;
    /**
     * A receiver for callbacks, by its name: a-z, 0-9 and the hyphen.
     *
     * @param {string} [name]
     */
    hook(name?: string): Hook;
    /**
     * Moves the clock on and does what becomes due, in its order: `advance('1h')`, `advance({ until: 'idle' })`. Answers
     * when all of it is done, and what that was.
     *
     * @param {string | AdvanceWish} by
     * @returns {Promise<ClockAdvanced>}
     */
    advance(by: string | AdvanceWish): Promise<ClockAdvanced>;
    /**
     * Waits until no job waits and no callback is owed, and answers how they ended; callbacks that are held may stay.
     * Throws NotSettled when that takes longer than five seconds, or the time that is given; at once when all that is left
     * waits for somebody, or for a clock that stands still, which `advance` moves.
     *
     * @param {number | { timeout?: number, correlationId?: string }} [how] Milliseconds, alone or as `timeout`; only jobs
     *   of one correlation id.
     * @returns {Promise<CallbackWaited>}
     */
    settle(how?: number | {
        timeout?: number;
        correlationId?: string;
    }): Promise<CallbackWaited>;
    /** What was asked last and which faults were met, for whoever wonders why a test failed. */
    story(last?: number): Promise<string>;
    /** Nothing of it is left afterwards. Gone already, it stays gone. */
    remove(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
import { Admin } from './admin.js';
import { Faults } from './faults.js';
import { Journal } from './journal.js';
import { Snapshots } from './snapshots.js';
import type { Reset } from '../gen/types.d.ts';
import type { Seeded } from '../gen/types.d.ts';
import type { Settings } from '../gen/types.d.ts';
import type { Job } from '../gen/types.d.ts';
import type { Callback } from '../gen/types.d.ts';
import { Hook } from './hook.js';
import type { AdvanceWish } from '../gen/types.d.ts';
import type { ClockAdvanced } from '../gen/types.d.ts';
import type { CallbackWaited } from '../gen/types.d.ts';
import type { MadeWorld } from '../gen/types.d.ts';
