// The content of a connection's form, and its conversion to what is saved.
import type { Connection, ConnectionSave } from '../../../api/generated'

export interface ConnectionDraft {
  name: string
  base_url: string
  header: string
  read_only: boolean
  plain_http: boolean
  calls_per_second: string
  /** If empty, each operation has its own limit. */
  together: string
  /** By operation; empty for the default path. */
  paths: Record<string, string>
}

/** The defaults of most services and of the local server. */
export const DEFAULT_DRAFT: ConnectionDraft = {
  name: '',
  base_url: '',
  header: 'X-AUTH-KEY',
  read_only: false,
  plain_http: false,
  calls_per_second: '9',
  together: '',
  paths: {},
}

export function toDraft(connection: Connection): ConnectionDraft {
  const { name, base_url, header, read_only, plain_http, calls_per_second, together, paths } = connection
  return {
    name,
    base_url,
    header,
    read_only,
    plain_http,
    calls_per_second: String(calls_per_second),
    together: together === null ? '' : String(together),
    paths: Object.fromEntries(
      paths.filter(({ path, usual }) => path !== usual).map(({ operation, path }) => [operation, path]),
    ),
  }
}

/** Returns whether others can read the traffic to the address: plain http that leaves this computer. */
export function isUnencrypted(address: string): boolean {
  try {
    const { protocol, hostname } = new URL(address.trim())
    return protocol === 'http:' && !isLoopback(hostname)
  } catch {
    return false
  }
}

/** Returns whether an address is on this computer or in its local network, where no provider's service is. */
export function isLocalAddress(address: string): boolean {
  try {
    const { hostname } = new URL(address.trim())
    return isLoopback(hostname) || /\.local$/i.test(hostname) || PRIVATE.test(hostname)
  } catch {
    return false
  }
}

/** The private networks of homes and offices. */
const PRIVATE = /^(?:10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cde])/i

function isLoopback(host: string): boolean {
  return /^(?:localhost|(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host)
}

/** Returns the paths that differ from the defaults. */
function findCustomPaths(draft: ConnectionDraft): ConnectionSave['paths'] {
  return Object.entries(draft.paths)
    .map(([operation, path]) => ({ operation, path: path.trim() }))
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => (a.operation < b.operation ? -1 : 1))
}

/** Converts the form to the request that saves it. */
export function toSaveRequest(draft: ConnectionDraft): ConnectionSave {
  return {
    name: draft.name.trim(),
    base_url: draft.base_url.trim(),
    header: draft.header.trim(),
    read_only: draft.read_only,
    // The user agreed to plain http for this address only.
    plain_http: draft.plain_http && isUnencrypted(draft.base_url),
    calls_per_second: Number(draft.calls_per_second),
    together: draft.together.trim() === '' ? null : Number(draft.together),
    paths: findCustomPaths(draft),
  }
}

export function isSameDraft(a: ConnectionDraft, b: ConnectionDraft): boolean {
  return JSON.stringify(toSaveRequest(a)) === JSON.stringify(toSaveRequest(b))
}

/** Returns the required fields that are empty; a new connection also needs its key. */
export function findMissingFields(draft: ConnectionDraft): ('name' | 'header' | 'base_url')[] {
  return (['name', 'header', 'base_url'] as const).filter((field) => draft[field].trim() === '')
}

const COUNT = /^\s*\d{1,4}\s*$/

/** Returns the fields whose text is not a number that a request could contain; the core checks everything else. */
export function findInvalidNumbers(draft: ConnectionDraft): ('calls_per_second' | 'together')[] {
  return (['calls_per_second', 'together'] as const).filter(
    (field) => !COUNT.test(draft[field]) && !(field === 'together' && draft[field].trim() === ''),
  )
}
