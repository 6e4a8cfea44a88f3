// Made by declare.mjs; not written by hand.
/** @typedef {Record<string, string | number | boolean | undefined>} Parameters Of a query; undefined is left out. */
/** Milliseconds until a caller gives up on an answer; the server's own waits are added to it. */
export const PATIENCE: 30000;
/**
 * `get`, `post`, `put`, `patch` and `delete` take a path such as '/faults' and answer its JSON; say of which type it
 * is: `admin.get<Faults>('/faults')`.
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
     * @template [T=unknown]
     * @param {string} path
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    get<T = unknown>(path: string, query?: Parameters): Promise<T>;
    /**
     * @template [T=unknown]
     * @param {string} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    post<T = unknown>(path: string, json?: unknown, query?: Parameters): Promise<T>;
    /**
     * @template [T=unknown]
     * @param {string} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    put<T = unknown>(path: string, json?: unknown, query?: Parameters): Promise<T>;
    /**
     * @template [T=unknown]
     * @param {string} path
     * @param {unknown} [json]
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    patch<T = unknown>(path: string, json?: unknown, query?: Parameters): Promise<T>;
    /**
     * @template [T=unknown]
     * @param {string} path
     * @param {Parameters} [query]
     * @returns {Promise<T>}
     */
    delete<T = unknown>(path: string, query?: Parameters): Promise<T>;
    /**
     * The answer's JSON, or its text where it is none; what the server refuses is thrown. `wait` is what the server may
     * wait by itself, in milliseconds.
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
 * Of a query; undefined is left out.
 */
export type Parameters = Record<string, string | number | boolean | undefined>;
