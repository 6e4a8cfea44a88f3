// The core's types for imports under shorter names; here a column is identified by its number.
import type { ImportConsent, ImportField, ImportMapping, ImportPiece } from '../../../api/generated'

/** What fills a field. */
export type MappingTarget = ImportField<number>
export type MappingPiece = ImportPiece<number>
export type Mapping = ImportMapping<number>
/** A column with opt-outs. */
export type ColumnConsent = ImportConsent<number>
