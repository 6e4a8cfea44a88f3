// Made by declare.mjs; not written by hand.
/** `obtain` uses the server that the environment names, or starts one. */
export class Server {
    /**
     * Uses the server of ROOST_ADMIN_URL and ROOST_ADMIN_TOKEN, which `roost exec` sets, or of ROOST_READY_FILE. Without
     * either, starts one.
     */
    static obtain(): Promise<Server>;
    /**
     * Uses a running server, by its address and its admin token. Checks that it answers.
     *
     * @param {string} url
     * @param {string} token
     */
    static attach(url: string, token: string): Promise<Server>;
    /**
     * Starts a server on a free port, in memory, with a journal. `flags` are those of `roost serve`. The program is
     * `binary`, or ROOST_BIN, or the one in this package, or `roost` on the PATH. It ends with this process, and does not
     * keep it from ending.
     *
     * @param {{ flags?: string[], binary?: string, timeout?: number }} [how]
     */
    static start(how?: {
        flags?: string[];
        binary?: string;
        timeout?: number;
    }): Promise<Server>;
    /**
     * @param {string} url
     * @param {string} token
     * @param {ChildProcessWithoutNullStreams} [child]
     */
    constructor(url: string, token: string, child?: ChildProcessWithoutNullStreams);
    url: string;
    token: string;
    admin: Admin;
    /** @private */
    private child;
    /**
     * Creates a world.
     *
     * @param {Wish} [wish]
     */
    world({ source, account, ...wish }?: Wish): Promise<World>;
    /** Whether a server that this process started still runs. True for any other server. */
    get isRunning(): boolean;
    /** Stops the server if this process started it. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
/**
 * Options of a world: the fields of `POST /__admin/worlds`, and some more.
 */
export type Wish = Omit<WorldRequest, "from" | "settings"> & Begun;
export type Begun = {
    /**
     * Its initial data: the seed of
     * the server, nothing, a snapshot of the default world, or another world.
     */
    source?: "seed" | "empty" | `snapshot:${string}` | `world:${string}`;
    settings?: Settings;
    /**
     * Initial data in the form of `roost export`, or the text of such a file (JSON,
     * YAML), instead of `source`.
     */
    account?: object | string;
};
import { Admin } from './admin.js';
import { World } from './world.js';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { WorldRequest } from '../gen/types.d.ts';
import type { Settings } from '../gen/types.d.ts';
