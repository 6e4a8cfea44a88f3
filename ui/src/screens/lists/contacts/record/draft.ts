// Edited and unsaved text of a record: only fields that differ from the stored values.

import type { EditedFields } from '../../../../parts/contact/unsaved.svelte'

export type RecordValues = Readonly<Record<string, string | undefined>>

export function editField(
  edited: EditedFields,
  base: RecordValues,
  field: string,
  text: string,
): EditedFields {
  const { [field]: _, ...others } = edited
  return text === (base[field] ?? '') ? others : { ...others, [field]: text }
}

export function revertField(edited: EditedFields, field: string): EditedFields {
  const { [field]: _, ...others } = edited
  return others
}

/** Keeps edited texts after the stored values changed elsewhere, except those that are now equal. */
export function rebaseEdits(edited: EditedFields, base: RecordValues): EditedFields {
  return Object.fromEntries(Object.entries(edited).filter(([field, text]) => text !== (base[field] ?? '')))
}

/** Converts edits to the core's form, in which null empties a field. */
export function toPatch(edited: EditedFields): Record<string, string | null> {
  return Object.fromEntries(Object.entries(edited).map(([field, text]) => [field, text === '' ? null : text]))
}
