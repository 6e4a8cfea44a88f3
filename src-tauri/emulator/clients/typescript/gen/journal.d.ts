// Made by declare.mjs; not written by hand.
/**
 * Removes the part that selects the world.
 *
 * @param {string} url
 */
export function plain(url: string): string;
/** A `match` is a matcher, or the name of an operation such as 'contacts.create'. Without it, every request matches. */
export class Journal {
    /** @param {import('./admin.js').Admin} admin */
    constructor(admin: import("./admin.js").Admin);
    /** @private */
    private admin;
    /**
     * The newest lines, oldest first: a hundred, or `last`.
     *
     * @param {number} [last]
     */
    lines(last?: number): Promise<JournalLine[]>;
    /**
     * The newest thousand matching requests, oldest first.
     *
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {Since} [where]
     */
    find(match?: Operation | OperationGroup | Matcher, where?: Since): Promise<JournalLine[]>;
    /**
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {Since} [where]
     */
    count(match?: Operation | OperationGroup | Matcher, where?: Since): Promise<number>;
    /**
     * The numbers of the matching lines. Throws NotVerified if there are not as many as expected: at least one, unless
     * a bound is given. With a `timeout`, waits for them; with `exactly` or `atMost` for the whole time, because a later
     * request can still be one too many.
     *
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {Times & Since & Timeout} [wanted]
     */
    verify(match?: Operation | OperationGroup | Matcher, wanted?: Times & Since & Timeout): Promise<number[]>;
    /**
     * Verifies that the requests came in this order. Others may come between them.
     *
     * @param {(Operation | OperationGroup | Matcher)[]} matches
     * @param {Since & Timeout} [where]
     */
    verifyOrder(matches: (Operation | OperationGroup | Matcher)[], where?: Since & Timeout): Promise<number[]>;
    /**
     * Waits for the first matching request and returns it. Throws NotVerified if none arrives within four seconds, or
     * `timeout` milliseconds.
     *
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {Since & Timeout} [where]
     */
    wait(match?: Operation | OperationGroup | Matcher, where?: Since & Timeout): Promise<JournalLine>;
    /**
     * @param {number} seq
     * @returns {Promise<JournalLine>}
     */
    line(seq: number): Promise<JournalLine>;
    /**
     * The request as a curl command, with secrets as variables.
     *
     * @param {number} seq
     * @returns {Promise<string>}
     */
    curl(seq: number): Promise<string>;
    /**
     * Writes the lines as an HTTP archive, for browsers and `roost replay`. `filter` is the same as for `roost tail`, for
     * example 'status:4xx'.
     *
     * @param {string | URL} file
     * @param {{ filter?: string }} [which]
     */
    save(file: string | URL, which?: {
        filter?: string;
    }): Promise<void>;
    /** The unmatched requests, each with the route that was probably meant. */
    unmatched(): Promise<UnmatchedRequest[]>;
    /** The current position in the journal, for `since`. */
    place(): Promise<string>;
    clear(): Promise<void>;
    /**
     * @private
     * @param {VerifyRequest} wanted
     * @param {number} [timeout]
     */
    private ask;
}
export type Since = {
    /**
     * Only lines after this position, from `place`.
     */
    since?: JournalPosition;
};
export type Timeout = {
    /**
     * Milliseconds to wait.
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
import type { OperationGroup } from '../gen/types.d.ts';
import type { Matcher } from '../gen/types.d.ts';
import type { UnmatchedRequest } from '../gen/types.d.ts';
import type { JournalPosition } from '../gen/types.d.ts';
