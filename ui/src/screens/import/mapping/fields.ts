// The choices for a column, and the reasons for suggested fields.
import type { FieldInfo, ImportSuggestionBy } from '../../../api/generated'
import { m } from '../../../gen/words'
import { fieldTitle } from '../../../parts/contact/fields'

/** Choices that are not fields. */
export const IGNORE = ''
export const NEW_FIELD = '+field'
export const SPLIT_COLUMN = '+parts'
export const OPTED_OUT = '+opted_out'

/** The core derives regions from the numbers. */
const NOT_FILLED = new Set(['phone_region', 'whatsapp_region'])

export interface ColumnChoice {
  value: string
  title: string
  data?: boolean
}

export function listFieldChoices(fields: readonly FieldInfo[]): ColumnChoice[] {
  return fields
    .filter(({ name }) => !NOT_FILLED.has(name))
    .map((field) => ({
      value: field.name,
      title: fieldTitle(field),
      data: typeof field.label === 'string',
    }))
}

const WHY: Record<ImportSuggestionBy, () => string> = {
  name: m.mapping_by_name,
  word: m.mapping_by_word,
  likeness: m.mapping_by_likeness,
  contents: m.mapping_by_contents,
}

export const describeSuggestion = (by: ImportSuggestionBy): string => WHY[by]()
