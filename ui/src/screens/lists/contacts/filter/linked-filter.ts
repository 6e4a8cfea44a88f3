// The filter that a link to a list requests.
import type { GridFilter } from '../../../../api/generated'
import { toGroupFilter, decodeGroup } from '../../readiness/group'

/** Returns the filter of a link; undefined if it requests all contacts. */
export function readLinkedFilter(query: Readonly<Record<string, string>>): GridFilter | undefined {
  if (query['drafts'] === 'yes') return { all: [{ draft: true }] }
  const group = decodeGroup(query['readiness'] ?? '')
  return group && { all: [toGroupFilter(group)] }
}
