// Made by declare.mjs; not written by hand.
/** @import { Effect, Fault, FaultRule, FaultPage, Matcher, Operation } from '../gen/types.d.ts' */
/**
 * @typedef {object} When
 * @property {number} [first] Only the first so many that fit.
 * @property {string} [name] What the journal calls it.
 */
/**
 * A text is the name of an operation, such as 'contacts.create'; nothing is every request.
 *
 * @param {Operation | Matcher} [match]
 * @returns {Matcher}
 */
export function matcher(match?: Operation | Matcher): Matcher;
/** `fail`, `lose` and `delay` are what most tests want; `add` takes any rule there is. */
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
     * An error of the service's own shape, and nothing is done.
     *
     * @param {number} status
     * @param {Operation | Matcher} [match]
     * @param {When & { retryAfter?: number, error?: string }} [when] `retryAfter` is in seconds.
     */
    fail(status: number, match?: Operation | Matcher, { retryAfter, error, ...when }?: When & {
        retryAfter?: number;
        error?: string;
    }): Promise<Fault>;
    /**
     * The request is done and stored, and the line is torn down in the place of its answer; once, unless `first` says
     * how often.
     *
     * @param {Operation | Matcher} [match]
     * @param {When} [when]
     */
    lose(match?: Operation | Matcher, when?: When): Promise<Fault>;
    /**
     * The answer comes so much later, in real time.
     *
     * @param {number} milliseconds
     * @param {Operation | Matcher} [match]
     * @param {When} [when]
     */
    delay(milliseconds: number, match?: Operation | Matcher, when?: When): Promise<Fault>;
    /** In the order they are tried, each with how many requests it met (`hits`). */
    all(): Promise<Fault[]>;
    /** @param {string} name */
    remove(name: string): Promise<void>;
    /** Disarms rules, plan and profile. */
    clear(): Promise<void>;
    /**
     * A named set of rules, such as 'flaky'; null for none.
     *
     * @param {string | null} name
     */
    profile(name: string | null): Promise<void>;
    /**
     * @private
     * @param {Effect} effect
     * @param {Operation | Matcher | undefined} match
     * @param {When} when
     * @param {Partial<FaultRule>} [more]
     */
    private arm;
}
export type When = {
    /**
     * Only the first so many that fit.
     */
    first?: number;
    /**
     * What the journal calls it.
     */
    name?: string;
};
import type { Operation } from '../gen/types.d.ts';
import type { Matcher } from '../gen/types.d.ts';
import type { FaultRule } from '../gen/types.d.ts';
import type { Fault } from '../gen/types.d.ts';
