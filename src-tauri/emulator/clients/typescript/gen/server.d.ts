// Made by declare.mjs; not written by hand.
/** `obtain` takes the one that the environment names, and starts one where there is none. */
export class Server {
    /**
     * The server of ROOST_ADMIN_URL and ROOST_ADMIN_TOKEN, as `roost exec` sets them, or of ROOST_READY_FILE; without
     * either, one of our own.
     */
    static obtain(): Promise<Server>;
    /**
     * One that runs already, by its address and its admin token; it is asked whether it is there.
     *
     * @param {string} url
     * @param {string} token
     */
    static attach(url: string, token: string): Promise<Server>;
    /**
     * One of our own on a free port, in memory, with a journal; `flags` are those of `roost serve`. The program is
     * `binary`, or what ROOST_BIN names, or `roost` on the PATH. It keeps nobody from ending, and ends with them.
     *
     * @param {{ flags?: string[], binary?: string, timeout?: number }} [how]
     */
    static start({ flags, binary, timeout }?: {
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
     * A world of its own.
     *
     * @param {Wish} [wish]
     */
    world({ source, account, ...wish }?: Wish): Promise<World>;
    /** Of a server of our own: whether it lives. Of another that is not known, and so it is said to. */
    get isRunning(): boolean;
    /** Ends a server of our own; another is left as it is. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
/**
 * How a world is to be: what `POST /__admin/worlds` takes, and what goes on top of it.
 */
export type Wish = Omit<WorldWish, "from" | "settings"> & Begun;
export type Begun = {
    /**
     * What it begins with: the seed of
     * the server, nothing, a snapshot of the default world, or another world as it is.
     */
    source?: "seed" | "empty" | `snapshot:${string}` | `world:${string}`;
    settings?: Settings;
    /**
     * One in the form of `roost export`, or the text of such a file (JSON, YAML); goes
     * before `source`.
     */
    account?: object | string;
};
import { Admin } from './admin.js';
import { World } from './world.js';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { WorldWish } from '../gen/types.d.ts';
import type { Settings } from '../gen/types.d.ts';
