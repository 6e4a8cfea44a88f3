// Requests to the admin interface of the local server. The program sends each one exactly as its curl line shows it.
import type { components, paths } from '../../api/admin.generated'
import { call } from '../../api/call'
import type { Json } from '../../lib/json'

export type Schemas = components['schemas']

export const DEFAULT_WORLD = 'default'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = keyof paths
type MethodOf<R extends Route> = {
  [M in Method]: paths[R][Lowercase<M> & keyof paths[R]] extends { responses: unknown } ? M : never
}[Method]
type Operation<R extends Route, M extends Method> = paths[R][Lowercase<M> & keyof paths[R]]
type ResponseContent<T> = T extends { content: infer C } ? C[keyof C] : null
type AnswerOf<O> = O extends { responses: infer S } ? ResponseContent<S[keyof S]> : never
type RequestPart<O, Name extends string> = O extends { parameters: infer P } ? P[Name & keyof P] : never
/** Omits an optional part that an operation does not have. */
type OptionalPart<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : { [K in Name]?: T | undefined }
type RequestParts<O> = (RequestPart<O, 'path'> extends undefined
  ? unknown
  : { path: RequestPart<O, 'path'> }) &
  OptionalPart<'query', RequestPart<O, 'query'>> &
  (O extends { requestBody: { content: { 'application/json': infer B } } } ? { body: B } : unknown)
/** Makes the parts optional as a whole if an operation requires none. */
type GivenParts<O> =
  unknown extends RequestParts<O>
    ? []
    : object extends RequestParts<O>
      ? [parts?: RequestParts<O>]
      : [parts: RequestParts<O>]

/** A request, and the type of its response. */
export interface AdminRequest<Answer = unknown> {
  method: Method
  /** The path after `/__admin`, with its query. */
  target: string
  body?: Json
  /** Only for the type; never set. */
  answer?: Answer
}

/** Creates a request to a route of one world. */
export type MakeRequest = <R extends Route, M extends MethodOf<R>>(
  method: M,
  route: R,
  ...given: GivenParts<Operation<R, M>>
) => AdminRequest<AnswerOf<Operation<R, M>>>

/** Returns a function that creates requests to a world. The default world uses the routes of the host, including
 *  `/worlds`. */
export function createRequestMaker(world: string): MakeRequest {
  const base = world === DEFAULT_WORLD ? '/__admin' : `/__admin/worlds/${encodeURIComponent(world)}`
  return (method, route, ...given) => {
    const { path, query, body } = (given[0] ?? {}) as {
      path?: Record<string, string | number>
      query?: Record<string, string | number | boolean | undefined>
      body?: Json
    }
    const filled = route.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(path?.[name])).replaceAll('%40', '@'),
    )
    const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
    const search = asked.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
    const target = `${base}${filled}${search === '' ? '' : `?${search}`}`
    return { method, target, ...(body === undefined ? {} : { body }) }
  }
}

export async function sendRequest<Answer>({
  method,
  target,
  body = null,
}: AdminRequest<Answer>): Promise<Answer> {
  return (await call('server_operate', { method, target, body })) as Answer
}

/** Reads a page in the form that `Pager` takes. */
export async function readPage<Item>(
  act: AdminRequest<{ paging: Schemas['Paging']; items: Item[] }>,
): Promise<Schemas['Paging'] & { items: Item[] }> {
  const { paging, items } = await sendRequest(act)
  return { ...paging, items }
}

const UNITS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86_400 }

/** Converts a duration in the admin interface's notation, such as `15m`, to seconds. */
export function parseSeconds(duration: string): number {
  const [, count, unit] = /^(\d+)(us|ms|s|m|h|d)$/.exec(duration) ?? []
  return Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)
}

/** Quotes a text so that a shell reads it as one word. */
function quoteForShell(text: string): string {
  return /^[\w\-./:@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns the curl line of a request. It contains the token only as a variable. */
export function toCurlLine(base: string, { method, target, body }: AdminRequest): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push('-X', method)
  parts.push(quoteForShell(`${base}${target}`), '-H', '"Authorization: Bearer $ROOST_ADMIN_TOKEN"')
  if (body !== undefined && body !== null)
    parts.push('-H', "'content-type: application/json'", '-d', quoteForShell(JSON.stringify(body)))
  return parts.join(' ')
}

/** Returns a line that creates a job of two contacts in a new list. The line itself creates what the job needs. */
export function writeJobLine(url: string, base: string, world: string): string {
  const list = `$(curl -s ${quoteForShell(`${url}/contacts/v1/lists/create`)} -H 'x-auth-key: test' -H 'content-type: application/json' -d '{"name":"Jobs"}' | grep -o 'LST_[0-9A-Za-z]*')`
  const body = `{"list_id":"'${list}'","merge_type":"skipDuplicates","contacts":[{"phone_number":"+447700900001"},{"phone_number":"+447700900002"}],"callback_url":"${base}/__hook/${world}/jobs"}`
  return `curl ${quoteForShell(`${url}/contacts/v1/contacts`)} -H 'x-auth-key: test' -H 'content-type: application/json' -d '${body}'`
}
