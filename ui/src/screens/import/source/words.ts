// The texts for how a file is read, and for the evidence.
import { m } from '../../../gen/words'
import { formatNumber, toCountParams } from '../../../lib/format'
import { visible } from '../../../lib/text'
import type {
  ImportEncodingEvidence,
  ImportHeadEvidence,
  ImportBreak,
  ImportFile,
  ImportFound,
  ImportFileKind,
} from '../../../api/generated'

/** Represents null in a select, whose values must be strings. */
export const NONE = '-'
export const SEPARATORS = [',', ';', '\t', '|', NONE]
export const QUOTES = ['"', "'", NONE]

export function getSeparatorTitle(separator: string | null): string {
  switch (separator) {
    case null:
      return m.import_separator_none()
    case ',':
      return m.import_separator_comma()
    case ';':
      return m.import_separator_semicolon()
    case '\t':
      return m.import_separator_tab()
    case '|':
      return m.import_separator_bar()
    default:
      return m.import_separator_other({ sign: visible(separator) })
  }
}

export function getQuoteTitle(quote: string | null): string {
  if (quote === null) return m.import_quote_none()
  if (quote === '"') return m.import_quote_double()
  return quote === "'" ? m.import_quote_single() : visible(quote)
}

const ENCODING_WHY: Record<ImportEncodingEvidence, () => string> = {
  mark: m.import_encoding_mark,
  well_formed: m.import_encoding_well_formed,
  zeros: m.import_encoding_zeros,
  ascii: m.import_encoding_ascii,
  likely: m.import_encoding_likely,
}

export function describeEncodingEvidence({ found, settings }: ImportFile): string | undefined {
  if (settings.encoding !== null) return m.import_chosen()
  return found?.encoding ? ENCODING_WHY[found.encoding.by]() : undefined
}

/** Says how many rows the separator splits into the same number of cells. */
export function describeSeparatorEvidence({ found: of, settings }: ImportFile): string | undefined {
  const dialect = of?.dialect
  if (!dialect) return undefined
  if (settings.dialect === null && dialect.is_noted) return m.import_separator_noted()
  const found = dialect.evidence.find(({ separator }) => separator === dialect.dialect.separator)
  if (found === undefined) return settings.dialect === null ? undefined : m.import_chosen()
  return m.import_separator_why({
    alike: formatNumber(found.alike),
    rows: formatNumber(found.rows),
    count: found.columns,
    columns: formatNumber(found.columns),
  })
}

export function describeHeaderEvidence({ found, settings }: ImportFile): string | undefined {
  if (settings.head !== 'find_out') return m.import_chosen()
  return found === null ? undefined : headFound(found.head.by)
}

function headFound(by: ImportHeadEvidence): string {
  if (by === 'none') return m.import_head_nothing()
  if (by === 'distinct') return m.import_head_distinct()
  if ('known' in by) return m.import_head_known(toCountParams(by.known))
  return m.import_head_unlike(toCountParams(by.unlike))
}

const KINDS: Record<ImportFileKind, () => string> = {
  text: m.import_kind_text,
  xlsx: m.import_kind_xlsx,
  ods: m.import_kind_ods,
  vcard: m.import_kind_vcard,
  json: m.import_kind_json,
}

export const getKindTitle = ({ kind }: ImportFound): string => KINDS[kind]()

/** Returns the name of the file, with the sheet or the file of the archive if there are several. */
export const formatFileName = ({ name, part }: ImportFile): string =>
  part === null ? visible(name) : m.import_file_part({ name: visible(name), part: visible(part) })

/** Describes a position in the file. */
export function describePlace({ place }: ImportBreak): string {
  switch (place.in) {
    case 'line':
      return place.column === null
        ? m.import_place_line({ line: formatNumber(place.line) })
        : m.import_place_cell({ line: formatNumber(place.line), column: formatNumber(place.column) })
    case 'row':
      return place.column === null
        ? m.import_place_row({ sheet: visible(place.sheet), row: formatNumber(place.row) })
        : m.import_place_sheet_cell({
            sheet: visible(place.sheet),
            cell: `${toColumnLetters(place.column)}${place.row}`,
          })
    case 'part':
      return m.import_place_part({ part: visible(place.name) })
    case 'file':
      return m.import_place_file()
  }
}

/** Returns the letters by which spreadsheets name a column, such as `A`, `Z`, `AA`; counted from 1. */
export function toColumnLetters(column: number): string {
  let letters = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCodePoint(65 + ((rest - 1) % 26)) + letters
  return letters
}
