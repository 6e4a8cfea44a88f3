//! The reports on a rehearsal: in numbers, and row by row.

use roost_model::channel::Channel;
use serde::Serialize;

use super::{
    super::super::{
        rehearse::{FieldText, FieldValueChange, ImportSummary},
        verdicts::RowBucket,
    },
    RowReason,
};

/// The result of a rehearsal in numbers, the most frequent reasons and fields first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRehearsal {
    pub generation: u32,
    #[serde(flatten)]
    pub summary: ImportSummary,
    /// Whether the account changed since, so that it has to be repeated.
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
