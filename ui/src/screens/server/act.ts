// Acts of the operator's side: each is done as its curl line says, within the program, so that what is shown is what is
// done.
import { call } from '../../api/call'
import type { Json } from '../../lib/json'

export const DEFAULT_WORLD = 'default'

export interface Act {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From `/__admin/` on. */
  target: string
  body?: Json
}

/** A page as the operator's side answers it. */
export interface Paged<Item> {
  paging: { total_items: number; total_pages: number }
  items: Item[]
}

/** The place of a route for one world. */
export function inWorld(world: string, rest: string): string {
  return world === DEFAULT_WORLD ? `/__admin${rest}` : `/__admin/worlds/${encodeURIComponent(world)}${rest}`
}

/** Does it; the answer is as the operator's document describes it. */
export async function operate<T = unknown>({ method, target, body = null }: Act): Promise<T> {
  return (await call('server_operate', { method, target, body })) as T
}

/** A page, as what shows pages wants it. */
export async function readPage<Item>(target: string): Promise<Paged<Item>['paging'] & { items: Item[] }> {
  const { paging, items } = await operate<Paged<Item>>({ method: 'GET', target })
  return { ...paging, items }
}

const UNITS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86_400 }

/** A duration as the operator's side writes it, such as `15m`, in seconds. */
export function secondsOf(duration: string): number {
  const [, count, unit] = /^(\d+)(us|ms|s|m|h|d)$/.exec(duration) ?? []
  return Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)
}

/** A text that a shell takes as one word. */
function quoted(text: string): string {
  return /^[\w\-./:@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The same for a shell. The token stands there as a variable and nowhere else. */
export function curlOf(base: string, { method, target, body }: Act): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push('-X', method)
  parts.push(quoted(`${base}${target}`), '-H', '"Authorization: Bearer $ROOST_ADMIN_TOKEN"')
  if (body !== undefined && body !== null)
    parts.push('-H', "'content-type: application/json'", '-d', quoted(JSON.stringify(body)))
  return parts.join(' ')
}

/** A line that makes a job of two contacts in a new list: what it lacks is answered by the line itself. */
export function jobLine(url: string, base: string, world: string): string {
  const list = `$(curl -s ${quoted(`${url}/contacts/v1/lists/create`)} -H 'x-auth-key: test' -H 'content-type: application/json' -d '{"name":"Jobs"}' | grep -o 'LST_[0-9A-Za-z]*')`
  const body = `{"list_id":"'${list}'","merge_type":"skipDuplicates","contacts":[{"phone_number":"+447700900001"},{"phone_number":"+447700900002"}],"callback_url":"${base}/__hook/${world}/jobs"}`
  return `curl ${quoted(`${url}/contacts/v1/contacts`)} -H 'x-auth-key: test' -H 'content-type: application/json' -d '${body}'`
}
