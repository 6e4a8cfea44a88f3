// Made by declare.mjs; not written by hand.
/**
 * @import {
 *   AdvanceRequest, Callback, SettleResult, Clock, ClockAdvanced, Job, CreatedWorld, ResetReport, SeedResult, Settings
 * } from '../gen/types.d.ts'
 */
/** Ends with `remove`, or with `await using` if the language has it, with everything in it. */
export class World {
    /**
     * @param {import('./server.js').Server} server
     * @param {CreatedWorld} made
     */
    constructor(server: import("./server.js").Server, made: CreatedWorld);
    server: import("./server.js").Server;
    name: string;
    /** Its base address. Any key works there. */
    url: string;
    /** Selects the world: send it in the header X-AUTH-KEY to `server.url` or `url`. */
    key: string;
    /** The token of this world's admin routes. */
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
     * Creates another world of the same server. It is removed with this one.
     *
     * @param {import('./server.js').Wish} [wish]
     */
    another(wish?: import("./server.js").Wish): Promise<World>;
    /**
     * Sends a request with this world's key, to prepare or inspect something in a test. A lost response throws the error
     * of `fetch`.
     *
     * @param {string} method
     * @param {string} path
     * @param {unknown} [json]
     * @param {RequestInit} [init]
     */
    send(method: string, path: string, json?: unknown, init?: RequestInit): Promise<Response>;
    /**
     * Resets to the seed. `keep`: settings, limits, faults, journal, clock, random. Work in progress ends without a
     * response.
     *
     * @param {string[]} keep
     * @returns {Promise<ResetReport>}
     */
    reset(...keep: string[]): Promise<ResetReport>;
    /**
     * Replaces the account with this one, in the form of `export` or as the text of a seed file (JSON, YAML). A reset
     * returns to it, unless `once` is set.
     *
     * @param {object | string} account
     * @param {{ once?: boolean }} [how]
     * @returns {Promise<SeedResult>}
     */
    seed(account: object | string, { once }?: {
        once?: boolean;
    }): Promise<SeedResult>;
    /**
     * The whole account in the form of `seed`.
     *
     * @returns {Promise<Record<string, unknown>>}
     */
    export(): Promise<Record<string, unknown>>;
    /**
     * Changes settings by name, all or none: `world.set({ limits: 'off' })`.
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
     * The receiver of this name: a-z, 0-9 and -.
     *
     * @param {string} [name]
     */
    hook(name?: string): Hook;
    /**
     * Moves the clock forward and runs what becomes due, in order: `advance('1h')`, `advance({ until: 'idle' })`. `ran`
     * lists it.
     *
     * @param {string | AdvanceRequest} by
     * @returns {Promise<ClockAdvanced>}
     */
    advance(by: string | AdvanceRequest): Promise<ClockAdvanced>;
    /**
     * Waits until no job is waiting and no callback is due. Held callbacks do not count. Throws NotSettled if that takes
     * longer than five seconds or `timeout`, or immediately if waiting cannot help: a job that is run by hand, or
     * something due later on a frozen clock, which `advance` moves.
     *
     * @param {number | { timeout?: number, correlationId?: string }} [how] Milliseconds, alone or as `timeout`. With
     *   `correlationId`, only jobs that have it.
     * @returns {Promise<SettleResult>}
     */
    settle(how?: number | {
        timeout?: number;
        correlationId?: string;
    }): Promise<SettleResult>;
    /** A summary for a failed test: the last requests, and which faults fired. */
    story(last?: number): Promise<string>;
    /** Removes the world. Does nothing if it was removed before. */
    remove(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
import { Admin } from './admin.js';
import { Faults } from './faults.js';
import { Journal } from './journal.js';
import { Snapshots } from './snapshots.js';
import type { ResetReport } from '../gen/types.d.ts';
import type { SeedResult } from '../gen/types.d.ts';
import type { Settings } from '../gen/types.d.ts';
import type { Job } from '../gen/types.d.ts';
import type { Callback } from '../gen/types.d.ts';
import { Hook } from './hook.js';
import type { AdvanceRequest } from '../gen/types.d.ts';
import type { ClockAdvanced } from '../gen/types.d.ts';
import type { SettleResult } from '../gen/types.d.ts';
import type { CreatedWorld } from '../gen/types.d.ts';
