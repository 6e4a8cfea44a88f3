/** The admin interface of a server or of one world: every route, by its path. */
import { AdminError, NotThere } from './errors.js'

/** @import { Answer, Body, Query } from '../src/routes.d.ts' */
/** @typedef {Record<string, string | number | boolean | undefined>} Parameters Undefined ones are left out. */

/** Milliseconds to wait for a response, in addition to the server's own waits. */
export const PATIENCE = 30_000

/**
 * `get`, `post`, `put`, `patch` and `delete` take a path such as '/faults/rules' and return the response's
 * JSON. Body, query and response have the types of the route. `get<Mine>(path)` sets another response type.
 */
export class Admin {
  /**
   * @param {string} url
   * @param {string} token
   */
  constructor(url, token) {
    this.url = url.replace(/\/$/, '')
    this.token = token
  }

  /**
   * @template {string} P
   * @overload
   * @param {P} path
   * @param {Query<'get', P>} [query]
   * @returns {Promise<Answer<'get', P>>}
   */
  /**
   * @template T
   * @overload
   * @param {import('../src/routes.d.ts').Untyped<T>} path
   * @param {Parameters} [query]
   * @returns {Promise<T>}
   */
  /**
   * @param {string} path
   * @param {any} [query]
   * @returns {Promise<any>}
   */
  get(path, query) {
    return this.call('GET', path, undefined, query)
  }

  /**
   * @template {string} P
   * @overload
   * @param {P} path
   * @param {Body<'post', P>} [json]
   * @param {Query<'post', P>} [query]
   * @returns {Promise<Answer<'post', P>>}
   */
  /**
   * @template T
   * @overload
   * @param {import('../src/routes.d.ts').Untyped<T>} path
   * @param {unknown} [json]
   * @param {Parameters} [query]
   * @returns {Promise<T>}
   */
  /**
   * @param {string} path
   * @param {unknown} [json]
   * @param {any} [query]
   * @returns {Promise<any>}
   */
  post(path, json, query) {
    return this.call('POST', path, json, query)
  }

  /**
   * @template {string} P
   * @overload
   * @param {P} path
   * @param {Body<'put', P>} [json]
   * @param {Query<'put', P>} [query]
   * @returns {Promise<Answer<'put', P>>}
   */
  /**
   * @template T
   * @overload
   * @param {import('../src/routes.d.ts').Untyped<T>} path
   * @param {unknown} [json]
   * @param {Parameters} [query]
   * @returns {Promise<T>}
   */
  /**
   * @param {string} path
   * @param {unknown} [json]
   * @param {any} [query]
   * @returns {Promise<any>}
   */
  put(path, json, query) {
    return this.call('PUT', path, json, query)
  }

  /**
   * @template {string} P
   * @overload
   * @param {P} path
   * @param {Body<'patch', P>} [json]
   * @param {Query<'patch', P>} [query]
   * @returns {Promise<Answer<'patch', P>>}
   */
  /**
   * @template T
   * @overload
   * @param {import('../src/routes.d.ts').Untyped<T>} path
   * @param {unknown} [json]
   * @param {Parameters} [query]
   * @returns {Promise<T>}
   */
  /**
   * @param {string} path
   * @param {unknown} [json]
   * @param {any} [query]
   * @returns {Promise<any>}
   */
  patch(path, json, query) {
    return this.call('PATCH', path, json, query)
  }

  /**
   * @template {string} P
   * @overload
   * @param {P} path
   * @param {Query<'delete', P>} [query]
   * @returns {Promise<Answer<'delete', P>>}
   */
  /**
   * @template T
   * @overload
   * @param {import('../src/routes.d.ts').Untyped<T>} path
   * @param {Parameters} [query]
   * @returns {Promise<T>}
   */
  /**
   * @param {string} path
   * @param {any} [query]
   * @returns {Promise<any>}
   */
  delete(path, query) {
    return this.call('DELETE', path, undefined, query)
  }

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
  async call(method, path, json, query = {}, wait = 0) {
    const asked = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value))
    const route = below(path)
    const url = `${this.url}${route}${asked.size > 0 ? `?${asked}` : ''}`
    /** @type {RequestInit} */
    const init = { method, headers: { authorization: `Bearer ${this.token}` } }
    if (json !== undefined) {
      // A text is sent unchanged: a seed in YAML or JSON.
      init.body = typeof json === 'string' ? json : JSON.stringify(json)
      const type = typeof json === 'string' ? 'application/yaml' : 'application/json'
      init.headers = { ...init.headers, 'content-type': type }
    }
    const { status, type, idle, text } = await exchange(this.url, url, init, wait)
    const told = parsed(type, text)
    if (status >= 400) refuse(url, `${method} ${route}`, status, told)
    if (idle !== null) process.emitWarning(`${method} ${route}: ${idle}`, 'RoostWarning')
    return /** @type {T} */ (told)
  }
}

/**
 * A path below `/__admin`, with or without that prefix.
 *
 * @param {string} path
 */
function below(path) {
  return path.replace(/^\/?(?:__admin(?=\/))?\/?/, '/')
}

/**
 * @param {string} server
 * @param {string} url
 * @param {RequestInit} init
 * @param {number} wait
 */
async function exchange(server, url, init, wait) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE + wait) })
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      idle: response.headers.get('x-roost-warning'),
      text: await response.text(),
    }
  } catch (cause) {
    throw new NotThere(`${server} does not answer: ${reason(cause)}. Is roost serve running?`, { cause })
  }
}

/** @param {unknown} why */
function reason(why) {
  const inner = why instanceof Error && why.cause instanceof Error ? why.cause : why
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}

/**
 * @param {string} type
 * @param {string} text
 * @returns {unknown}
 */
function parsed(type, text) {
  if (text === '') return undefined
  if (!type.includes('json')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Throws the server's error, if the response is one.
 *
 * @param {string} url
 * @param {string} asked
 * @param {number} status
 * @param {unknown} told
 */
function refuse(url, asked, status, told) {
  const error =
    /** @type {{ error?: Partial<Record<'code' | 'message' | 'hint' | 'pointer', string>> } | undefined} */ (
      told
    )?.error
  if (error?.code && error.message) {
    throw new AdminError(
      status,
      error.code,
      `${asked}: ${error.pointer ? `${error.pointer}: ` : ''}${error.message} ${error.hint ?? ''}`.trim(),
    )
  }
  // A normal response: the condition does not hold.
  if (status === 406) return
  throw new NotThere(`there is no Roost server at ${url} (status ${status})`)
}
