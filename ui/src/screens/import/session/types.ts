// What the core tells of imports, under the names this screen knows it by: a column is told by its number.
import type { ImportConsent, ImportField, ImportMapping, ImportPiece } from '../../../api/generated'

/** What fills a field. */
export type Target = ImportField<number>
export type Piece = ImportPiece<number>
export type Mapping = ImportMapping<number>
/** A column that says who opted out. */
export type Consent = ImportConsent<number>
