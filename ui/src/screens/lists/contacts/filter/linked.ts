// The contacts that a link to a list requests.
import type { GridFilter } from '../../../../api/generated'
import { groupFilter, groupOf } from '../../readiness/group'

/** Returns the filter of a link; undefined if it requests all contacts. */
export function linkedFilter(query: Readonly<Record<string, string>>): GridFilter | undefined {
  if (query['drafts'] === 'yes') return { all: [{ draft: true }] }
  const group = groupOf(query['readiness'] ?? '')
  return group && { all: [groupFilter(group)] }
}
