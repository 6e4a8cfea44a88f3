//! What is told of a rehearsal: in numbers, and row by row.

use roost_model::{channel::Channel, custom_field::CustomField};
use serde::Serialize;

use super::{
    super::super::{
        ledger::ImportLedger,
        settle::Reason,
        verdicts::{Bucket, Counts},
    },
    RowReason,
};

/// Rows left out for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportReasonCount"))]
pub struct ReasonCount {
    pub reason: Reason,
    pub message: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
}

/// Contacts whose value of a field would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportFieldCount"))]
pub struct FieldCount {
    pub field: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
}

/// What would come of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRehearsal {
    pub generation: u32,
    pub counts: Counts,
    /// The most frequent first; they sum to `counts.invalid`.
    pub reasons: Vec<ReasonCount>,
    /// The most frequent first. A row may change several.
    pub fields: Vec<FieldCount>,
    /// Rows among those taken whose number is opted out, and stays so.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opted_out: u64,
    /// Opt-outs that columns of consent would add: the person types this number. None is ever taken away.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opt_outs: u64,
    /// How many of these only invalid rows ask for. Their rows are left out, and their numbers are opted out.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opt_outs_of_invalid_rows: u64,
    /// Custom fields that would be made.
    pub new_fields: Vec<CustomField>,
    /// Everything the files hold, and what would become of it.
    pub ledger: ImportLedger,
    pub is_stale: bool,
}

/// Rows to be shown; all that are given must fit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowFilter {
    pub bucket: Option<Bucket>,
    pub reason: Option<Reason>,
    /// Changes this field.
    pub field: Option<String>,
}

/// A value of the list and the one that takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRowChange"))]
pub struct RowChange {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A value by its field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRowValue"))]
pub struct RowValue {
    pub field: String,
    pub text: String,
}

/// A row and what would come of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RehearsedRow {
    /// From 0, in all files one behind the other.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub row: u64,
    pub file: u32,
    /// Its line in a text, its row in a sheet, from 1.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub place: u64,
    /// One a column.
    pub cells: Vec<String>,
    /// The person mended it here.
    pub is_mended: bool,
    pub bucket: Bucket,
    pub reason: Option<RowReason>,
    /// E.164, by which it is compared.
    pub number: Option<String>,
    /// The contact of the list that has its number; the first of several.
    pub contact: Option<String>,
    /// How many contacts of the list have its number.
    pub contacts: u32,
    /// The row that is taken in its place.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub twin: Option<u64>,
    pub is_opted_out: bool,
    /// Channels that it opts out of.
    pub consents: Vec<Channel>,
    pub changes: Vec<RowChange>,
    /// As they would be stored.
    pub values: Vec<RowValue>,
}

/// Some rows of a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRows {
    /// Rows have other buckets in each.
    pub generation: u32,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
    pub rows: Vec<RehearsedRow>,
}

/// The next row that needs a look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportProblem {
    /// Null: there is none in that direction.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub row: Option<u64>,
    pub bucket: Option<Bucket>,
    /// Its place among the rows of that bucket, from 0.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub at: u64,
}
