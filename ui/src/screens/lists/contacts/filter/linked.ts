// The contacts that the address of a list asks for.
import type { GridFilter } from '../../../../api/generated'
import { groupFilter, groupOf } from '../../readiness/group'

/** Undefined where it asks for all. */
export function linkedFilter(query: Readonly<Record<string, string>>): GridFilter | undefined {
  if (query['drafts'] === 'yes') return { all: [{ draft: true }] }
  const group = groupOf(query['readiness'] ?? '')
  return group && { all: [groupFilter(group)] }
}
