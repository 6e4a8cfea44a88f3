// Made by declare.mjs; not written by hand.
/** @import { Answer, Body, Query } from '../src/routes.d.ts' */
/** @typedef {Record<string, string | number | boolean | undefined>} Parameters Undefined ones are left out. */
/** Milliseconds to wait for a response, in addition to the server's own waits. */
export const PATIENCE: 30000;
/**
 * `get`, `post`, `put`, `patch` and `delete` take a path such as '/faults/rules' and return the response's
 * JSON. Body, query and response have the types of the route. `get<Mine>(path)` sets another response type.
 */
export class Admin {
    /**
     * @param {string} url
     * @param {string} token
     */
    constructor(url: string, token: string);
    url: string;
    token: string;
    /**
     * @template {string} P
     * @overload
     * @param {P} path
     * @param {Query<'get', P>} [query]
     * @returns {Promise<Answer<'get', P>>}
     */
    get<P extends string>(path: P, query?: Query<"get", P> | undefined): Promise<Answer<"get", P>>;
    /**
     * @template T
     * @overload
     * @param {import('../src/routes.d.ts').Untyped<T>} path
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    get<T>(path: import("../src/routes.d.ts").Untyped<T>, query?: Parameters | undefined): Promise<T>;
    /**
     * @template {string} P
     * @overload
     * @param {P} path
     * @param {Body<'post', P>} [json]
     * @param {Query<'post', P>} [query]
     * @returns {Promise<Answer<'post', P>>}
     */
    post<P extends string>(path: P, json?: Body<"post", P> | undefined, query?: Query<"post", P> | undefined): Promise<Answer<"post", P>>;
    /**
     * @template T
     * @overload
     * @param {import('../src/routes.d.ts').Untyped<T>} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    post<T>(path: import("../src/routes.d.ts").Untyped<T>, json?: unknown, query?: Parameters | undefined): Promise<T>;
    /**
     * @template {string} P
     * @overload
     * @param {P} path
     * @param {Body<'put', P>} [json]
     * @param {Query<'put', P>} [query]
     * @returns {Promise<Answer<'put', P>>}
     */
    put<P extends string>(path: P, json?: Body<"put", P> | undefined, query?: Query<"put", P> | undefined): Promise<Answer<"put", P>>;
    /**
     * @template T
     * @overload
     * @param {import('../src/routes.d.ts').Untyped<T>} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    put<T>(path: import("../src/routes.d.ts").Untyped<T>, json?: unknown, query?: Parameters | undefined): Promise<T>;
    /**
     * @template {string} P
     * @overload
     * @param {P} path
     * @param {Body<'patch', P>} [json]
     * @param {Query<'patch', P>} [query]
     * @returns {Promise<Answer<'patch', P>>}
     */
    patch<P extends string>(path: P, json?: Body<"patch", P> | undefined, query?: Query<"patch", P> | undefined): Promise<Answer<"patch", P>>;
    /**
     * @template T
     * @overload
     * @param {import('../src/routes.d.ts').Untyped<T>} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    patch<T>(path: import("../src/routes.d.ts").Untyped<T>, json?: unknown, query?: Parameters | undefined): Promise<T>;
    /**
     * @template {string} P
     * @overload
     * @param {P} path
     * @param {Query<'delete', P>} [query]
     * @returns {Promise<Answer<'delete', P>>}
     */
    delete<P extends string>(path: P, query?: Query<"delete", P> | undefined): Promise<Answer<"delete", P>>;
    /**
     * @template T
     * @overload
     * @param {import('../src/routes.d.ts').Untyped<T>} path
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    delete<T>(path: import("../src/routes.d.ts").Untyped<T>, query?: Parameters | undefined): Promise<T>;
    /**
     * The response's JSON, or its text if it is not JSON. Throws AdminError if the server refuses the request.
     * `wait`: how long the server itself may wait, in milliseconds.
     *
     * @template [T=unknown]
     * @param {string} method
     * @param {string} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @param {number} [wait]
     * @returns {Promise<T>}
     */
    call<T = unknown>(method: string, path: string, json?: unknown, query?: Parameters, wait?: number): Promise<T>;
}
/**
 * Undefined ones are left out.
 */
export type Parameters = Record<string, string | number | boolean | undefined>;
import type { Query } from '../src/routes.d.ts';
import type { Answer } from '../src/routes.d.ts';
import type { Body } from '../src/routes.d.ts';
