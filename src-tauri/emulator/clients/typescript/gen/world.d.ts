// Made by declare.mjs; not written by hand.
/** @import { Callback, Job, MadeWorld, Reset, Seeded, Settings } from '../gen/types.d.ts' */
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
     * Back to the seed; `keep` may name settings, limits, faults and journal. Of an earlier epoch nothing comes.
     *
     * @param {string[]} keep
     * @returns {Promise<Reset>}
     */
    reset(...keep: string[]): Promise<Reset>;
    /**
     * The whole account, in the form of `export`: what the world holds now, and goes back to unless only `once`.
     *
     * @param {object} account
     * @param {{ once?: boolean }} [how]
     * @returns {Promise<Seeded>}
     */
    seed(account: object, { once }?: {
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
    /** Callbacks with every attempt, newest first. */
    callbacks(): Promise<Callback[]>;
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
import type { MadeWorld } from '../gen/types.d.ts';
