// Edited and unsaved text of a record: only fields that differ from the stored values.

import type { Edited } from '../../../../parts/contact/unsaved.svelte'

export type Values = Readonly<Record<string, string | undefined>>

export function edit(edited: Edited, base: Values, field: string, text: string): Edited {
  const { [field]: _, ...others } = edited
  return text === (base[field] ?? '') ? others : { ...others, [field]: text }
}

export function revert(edited: Edited, field: string): Edited {
  const { [field]: _, ...others } = edited
  return others
}

/** Keeps edited texts after the stored values changed elsewhere, except those that are now equal. */
export function rebase(edited: Edited, base: Values): Edited {
  return Object.fromEntries(Object.entries(edited).filter(([field, text]) => text !== (base[field] ?? '')))
}

/** Converts edits to the core's form, in which null empties a field. */
export function patchOf(edited: Edited): Record<string, string | null> {
  return Object.fromEntries(Object.entries(edited).map(([field, text]) => [field, text === '' ? null : text]))
}
