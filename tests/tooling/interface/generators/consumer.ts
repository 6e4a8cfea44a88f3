// Code that uses the types of openapi-typescript; it is only compiled.
import type { components, operations, paths } from './admin'

type Schemas = components['schemas']
type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never

export const rule: Body<'faults.add'> = {
  match: { operation: 'lists.create' },
  effect: { status: 503, retry_after: '5s' },
  apply: { first: 2 },
}

export const wait: Schemas['SettleRequest'] = { timeout: '250ms', correlation_id: 'job-17' }

export function names(page: Schemas['FaultPage']): [string[], number] {
  return [page.items.map(({ name }) => name), page.paging.total_items]
}

export function pointer(error: Schemas['AdminError']): string | null {
  return error.error.pointer
}

export const link: paths['/']['get']['responses'][200]['content']['application/json']['document'] =
  '/__admin/openapi.json'

// @ts-expect-error: an old name
export const old: Schemas['SettleRequest'] = { timeoutMs: 250 }
