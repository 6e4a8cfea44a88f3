// Made by declare.mjs; not written by hand.
/**
 * Without the part that names the world.
 *
 * @param {string} url
 */
export function plain(url: string): string;
/** A `match` is a matcher, or the name of an operation such as 'contacts.create'; none is every request. */
export class Journal {
    /** @param {import('./admin.js').Admin} admin */
    constructor(admin: import("./admin.js").Admin);
    /** @private */
    private admin;
    /**
     * The newest lines, oldest first; a hundred of them unless `last` says how many.
     *
     * @param {number} [last]
     */
    lines(last?: number): Promise<JournalLine[]>;
    /**
     * The requests that fit, oldest first, the newest thousand of them.
     *
     * @param {Operation | Matcher} [match]
     * @param {Since} [where]
     */
    find(match?: Operation | Matcher, { since }?: Since): Promise<JournalLine[]>;
    /**
     * @param {Operation | Matcher} [match]
     * @param {Since} [where]
     */
    count(match?: Operation | Matcher, { since }?: Since): Promise<number>;
    /**
     * The numbers of the lines that fit. Throws NotVerified when they are not as many as wanted: at least one, unless
     * something else is said. With a `timeout` it waits for them.
     *
     * @param {Operation | Matcher} [match]
     * @param {Times & Since & Timeout} [wanted]
     */
    verify(match?: Operation | Matcher, { since, timeout, exactly, atLeast, atMost }?: Times & Since & Timeout): Promise<number[]>;
    /**
     * Whether they came one after another; others may come between.
     *
     * @param {(Operation | Matcher)[]} matches
     * @param {Since & Timeout} [where]
     */
    verifyOrder(matches: (Operation | Matcher)[], { since, timeout }?: Since & Timeout): Promise<number[]>;
    /**
     * The first request that fits, as soon as it is there; NotVerified when none came within five seconds, or in the
     * time that is given.
     *
     * @param {Operation | Matcher} [match]
     * @param {Since & Timeout} [where]
     */
    wait(match?: Operation | Matcher, where?: Since & Timeout): Promise<JournalLine>;
    /**
     * @param {number} seq
     * @returns {Promise<JournalLine>}
     */
    line(seq: number): Promise<JournalLine>;
    /**
     * The request as a line for a shell, secrets as variables.
     *
     * @param {number} seq
     * @returns {Promise<string>}
     */
    curl(seq: number): Promise<string>;
    /**
     * Writes the lines as an HTTP archive, which browsers open and `roost replay` sends again; `filter` as `roost tail`
     * takes it, such as 'status:4xx'.
     *
     * @param {string | URL} file
     * @param {{ filter?: string }} [which]
     */
    save(file: string | URL, { filter }?: {
        filter?: string;
    }): Promise<void>;
    /** Requests that led nowhere, each with the route that was probably meant. */
    unmatched(): Promise<Stray[]>;
    /** Where the journal is now, for `since`. */
    place(): Promise<string>;
    clear(): Promise<void>;
    /**
     * @private
     * @param {Verify} wanted
     * @param {number} [timeout]
     */
    private ask;
}
export type Since = {
    /**
     * Only lines after this one, as `place` tells it.
     */
    since?: JournalPlace;
};
export type Timeout = {
    /**
     * Milliseconds to wait for it.
     */
    timeout?: number;
};
export type Times = {
    exactly?: number;
    atLeast?: number;
    atMost?: number;
};
import type { JournalLine } from '../gen/types.d.ts';
import type { Operation } from '../gen/types.d.ts';
import type { Matcher } from '../gen/types.d.ts';
import type { Stray } from '../gen/types.d.ts';
import type { JournalPlace } from '../gen/types.d.ts';
