//! The reports on a rehearsal: in numbers, and row by row.

use roost_model::{channel::Channel, custom_field::CustomField};
use serde::Serialize;

use super::{
    super::super::{
        ledger::ImportLedger,
        rehearse::{FieldText, FieldValueChange},
        validate::RejectReason,
        verdicts::{BucketCounts, RowBucket},
    },
    RowReason,
};

/// The number of rows that are refused for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportReasonCount"))]
pub struct ReasonCount {
    pub reason: RejectReason,
    pub message: String,
    pub rows: u64,
}

/// The number of rows that would change the value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportFieldCount"))]
pub struct FieldCount {
    pub field: String,
    pub rows: u64,
}

/// The result of a rehearsal in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRehearsal {
    pub generation: u32,
    pub counts: BucketCounts,
    /// The most frequent first; they sum to `counts.invalid`.
    pub reasons: Vec<ReasonCount>,
    /// The most frequent first. One row may change several fields.
    pub fields: Vec<FieldCount>,
    /// Imported rows whose number is opted out. It stays opted out.
    pub opted_out: u64,
    /// Opt-outs that would be added. The person confirms the import by typing this number. An import never removes an
    /// opt-out.
    pub opt_outs: u64,
    /// How many of these come only from invalid rows. The rows are refused, but their numbers are opted out.
    pub opt_outs_of_invalid_rows: u64,
    /// Custom fields that would be created.
    pub new_fields: Vec<CustomField>,
    /// Everything in the files and what would be done with it.
    pub ledger: ImportLedger,
    pub is_stale: bool,
}

/// A row and the verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RehearsedRow {
    /// The number of the row in all files together, from 0.
    pub row: u64,
    pub file: u32,
    /// The line in a text, or the row in a sheet, from 1.
    pub place: u64,
    /// One for each column.
    pub cells: Vec<String>,
    /// Whether the person fixed the row here.
    pub is_mended: bool,
    pub bucket: RowBucket,
    pub reason: Option<RowReason>,
    /// The number in E.164 by which the row is compared.
    pub number: Option<String>,
    /// The contact of the list that has the number; the first of several.
    pub contact: Option<String>,
    /// The number of contacts of the list that have the number.
    pub contacts: u32,
    /// The row with the same number that is imported instead.
    pub twin: Option<u64>,
    pub is_opted_out: bool,
    /// Channels that the row opts its numbers out of.
    pub consents: Vec<Channel>,
    pub changes: Vec<FieldValueChange>,
    /// Values that are not imported: `before` is what the list keeps, `after` is what the row says.
    pub kept: Vec<FieldValueChange>,
    /// The values that would be stored.
    pub values: Vec<FieldText>,
}

/// Some rows of a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRows {
    /// The generation of the import. Another one may sort rows into other buckets.
    pub generation: u32,
    pub total: u64,
    pub rows: Vec<RehearsedRow>,
}

/// The next row that needs a person's attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportProblem {
    /// Null: there is none in that direction.
    pub row: Option<u64>,
    pub bucket: Option<RowBucket>,
    /// The position of the row in its bucket, from 0.
    pub at: u64,
}
