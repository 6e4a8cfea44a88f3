//! What is told of the columns of an import, and of what a mapping makes of them.

use serde::{Deserialize, Serialize};

use super::super::super::{
    columns::ColumnFacts,
    mapping::{OpenMapping, Suggestion},
    settle::Reason,
};
use crate::account::CountryBy;

/// One column of all files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportColumn {
    /// From 0, as mappings name it.
    pub column: u32,
    /// Blank where it has none.
    pub name: String,
    pub facts: ColumnFacts,
    /// It looks as if it said who opted out.
    pub is_consent: bool,
    /// Its values look so although they fill a field.
    pub has_opt_outs: bool,
    pub suggestion: Option<Suggestion>,
    /// Files that have it.
    pub files: Vec<u32>,
}

/// Where a mapping comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportMappingBy"))]
pub enum MappingBy {
    #[default]
    Suggested,
    /// A file with the same columns was imported before.
    Remembered,
    Profile,
    Person,
}

/// Why a mapping cannot be used, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportMappingFault"))]
pub struct MappingFault {
    /// As in the mapping: `targets[1].pieces[0]`, or `files`, `target`.
    pub path: String,
    pub message: String,
    /// Columns, files, sheets and lists that it asks about, by name.
    pub about: Vec<String>,
}

/// The columns of an import and what they mean at present.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportTable {
    pub generation: u32,
    pub columns: Vec<ImportColumn>,
    pub mapping: OpenMapping,
    pub by: MappingBy,
    /// The profile it was taken from.
    pub profile: Option<String>,
    /// Region of numbers without a country code where the mapping names none, and how it is known.
    pub usual_region: String,
    pub usual_region_by: CountryBy,
    pub faults: Vec<MappingFault>,
}

/// Why a row is not taken, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRowReason"))]
pub struct RowReason {
    pub reason: Reason,
    pub message: String,
    /// The field it is about; null when it is about the row.
    pub field: Option<String>,
}

/// What a mapping makes of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportMappedRow"))]
pub struct MappedRow {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub row: u64,
    pub file: u32,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub place: u64,
    /// One a target, as it would be stored; null: blank, or not to be stored.
    pub values: Vec<Option<String>>,
    pub reason: Option<RowReason>,
}

/// A mapping as it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportMapped {
    pub generation: u32,
    /// While there are any, it cannot be rehearsed.
    pub faults: Vec<MappingFault>,
    /// The first rows that hold values; empty while there are faults.
    pub sample: Vec<MappedRow>,
}
