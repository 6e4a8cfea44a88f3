// Made by declare.mjs; not written by hand.
/**
 * A text is the name of an operation, such as 'contacts.create', or of a group of them, such as 'contacts'. Without it,
 * every request matches.
 *
 * @param {Operation | OperationGroup | Matcher} [match]
 * @returns {Matcher}
 */
export function matcher(match?: Operation | OperationGroup | Matcher): Matcher;
/**
 * `fail`, `lose` and `delay` cover most tests, and `add` takes any rule. Each rule fires on every request that matches,
 * unless `first` says on how many: `{ first: 1 }` for the next one only.
 */
export class Faults {
    /** @param {import('./admin.js').Admin} admin */
    constructor(admin: import("./admin.js").Admin);
    /** @private */
    private admin;
    /**
     * @param {FaultRule} rule
     * @returns {Promise<Fault>}
     */
    add(rule: FaultRule): Promise<Fault>;
    /**
     * Answers with an error in the service's own shape, without carrying out the request. A 429 has `Retry-After: 1`
     * unless `retryAfter` is given.
     *
     * @param {number} status
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {When & { retryAfter?: number, error?: string }} [when] `retryAfter` is in seconds.
     */
    fail(status: number, match?: Operation | OperationGroup | Matcher, when?: When & {
        retryAfter?: number;
        error?: string;
    }): Promise<Fault>;
    /**
     * Carries out and stores the request, then resets the connection instead of answering. With `{ first: 1 }` a retry
     * gets its response.
     *
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {When} [when]
     */
    lose(match?: Operation | OperationGroup | Matcher, when?: When): Promise<Fault>;
    /**
     * Delays the response, in real time.
     *
     * @param {number} milliseconds
     * @param {Operation | OperationGroup | Matcher} [match]
     * @param {When} [when]
     */
    delay(milliseconds: number, match?: Operation | OperationGroup | Matcher, when?: When): Promise<Fault>;
    /** The rules in the order in which they are tried. `hits` says how often each fired. */
    all(): Promise<Fault[]>;
    /** @param {string} name */
    remove(name: string): Promise<void>;
    /** Removes all rules, the plan and the profile. */
    clear(): Promise<void>;
    /**
     * Sets a profile, a named set of rules such as 'flaky'. Null removes it.
     *
     * @param {string | null} name
     */
    profile(name: string | null): Promise<void>;
    /**
     * @private
     * @param {FaultEffect} effect
     * @param {Operation | OperationGroup | Matcher | undefined} match
     * @param {When} when
     * @param {Partial<FaultRule>} [more]
     */
    private arm;
}
export type When = {
    /**
     * Only on this many matching requests, 1 for the next one. Default: on every one.
     */
    first?: number;
    /**
     * The name shown in the journal.
     */
    name?: string;
};
import type { Operation } from '../gen/types.d.ts';
import type { OperationGroup } from '../gen/types.d.ts';
import type { Matcher } from '../gen/types.d.ts';
import type { FaultRule } from '../gen/types.d.ts';
import type { Fault } from '../gen/types.d.ts';
