//! The reports on the columns of an import and on its mapping.

use serde::{Deserialize, Serialize};

use super::super::super::{
    mapping::columns::ColumnFacts,
    mapping::{FieldSuggestion, OpenMapping},
    validate::RejectReason,
};
use roost_ops::account::CountryBy;

/// One column of all files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportColumn {
    /// The number of the column in mappings, from 0.
    pub column: u32,
    /// The name of the column; blank if it has none.
    pub name: String,
    pub facts: ColumnFacts,
    /// Whether it seems to say who opted out.
    pub is_consent: bool,
    /// Whether its values seem to say so although it fills a field.
    pub has_opt_outs: bool,
    pub suggestion: Option<FieldSuggestion>,
    /// The files that have the column.
    pub files: Vec<u32>,
}

/// The origin of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportMappingBy"))]
pub enum MappingBy {
    #[default]
    Suggested,
    /// It is that of an earlier import with the same columns.
    Remembered,
    Profile,
    Person,
}

/// A reason why a mapping cannot be used, and the part of the mapping that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportMappingFault"))]
pub struct MappingFault {
    /// The path in the mapping, such as `targets[1].pieces[0]`, or else `files` or `target`.
    pub path: String,
    pub message: String,
    /// The names of the columns, files, sheets and lists that it asks about.
    pub about: Vec<String>,
}

/// The columns of an import and their present mapping.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportTable {
    pub generation: u32,
    pub columns: Vec<ImportColumn>,
    pub mapping: OpenMapping,
    pub by: MappingBy,
    /// The name of the profile that the mapping was taken from.
    pub profile: Option<String>,
    /// The region of numbers without a country code if the mapping names none.
    pub usual_region: String,
    /// How this region was chosen.
    pub usual_region_by: CountryBy,
    pub faults: Vec<MappingFault>,
}

/// The reason why a row is refused, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportRowReason"))]
pub struct RowReason {
    pub reason: RejectReason,
    pub message: String,
    /// The field that the reason is about; null if it is about the row.
    pub field: Option<String>,
}

/// The values that a mapping makes of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportMappedRow"))]
pub struct MappedRow {
    pub row: u64,
    pub file: u32,
    pub place: u64,
    /// One value for each target, as it would be stored; null if it is blank or would not be stored.
    pub values: Vec<Option<String>>,
    pub reason: Option<RowReason>,
}

/// The result of setting a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportMapped {
    pub generation: u32,
    /// The import cannot be rehearsed while there are any.
    pub faults: Vec<MappingFault>,
    /// The first rows that hold values; empty while there are faults.
    pub sample: Vec<MappedRow>,
}
