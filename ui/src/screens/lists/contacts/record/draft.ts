// What was typed into a record and is not saved yet: only fields that differ from what is kept.

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

/** What is kept changed elsewhere: what was typed stays, unless it says the same now. */
export function rebase(edited: Edited, base: Values): Edited {
  return Object.fromEntries(Object.entries(edited).filter(([field, text]) => text !== (base[field] ?? '')))
}

/** As the core wants it: null empties a field. */
export function patchOf(edited: Edited): Record<string, string | null> {
  return Object.fromEntries(Object.entries(edited).map(([field, text]) => [field, text === '' ? null : text]))
}
