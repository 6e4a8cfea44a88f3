//! What is told of an import under way.

use roost_model::{channel::Channel, custom_field::CustomField, time::Timestamp};
use roost_sheets::{Dialect, DialectGuess, Encoding, EncodingGuess, Kind, Place, Sheet, head::HeadGuess};
use serde::{Deserialize, Serialize};

use super::super::{
    columns::ColumnFacts,
    mapping::{OpenMapping, Suggestion},
    reading::HeadRow,
    settle::Reason,
    verdicts::{Bucket, Counts},
};

/// What the rows of the files become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportPurpose {
    #[default]
    Contacts,
    OptOuts,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportStage {
    /// It has no file yet.
    Empty,
    /// Bytes of a file are awaited.
    Uploading,
    Reading,
    /// Everything is read; nothing was rehearsed, or something changed since.
    Mapping,
    Rehearsing,
    Rehearsed,
    Accepting,
    Accepted,
}

/// The list that rows go into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportTarget {
    /// A list's uid.
    List(String),
    /// The name of a list that is made on the way.
    NewList(String),
}

/// How a person wants a file read. What is null is found out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportSettings {
    pub kind: Option<Kind>,
    /// Any name of an encoding that the web knows.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub encoding: Option<Encoding>,
    pub dialect: Option<Dialect>,
    pub sheet: Option<String>,
    pub head: HeadRow,
    /// Takes the rows in front of the place where the file is broken.
    pub takes_part: bool,
}

/// What was found in a file, with what speaks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportFound {
    pub kind: Kind,
    /// What it was packed with: `gzip`.
    pub packing: Option<String>,
    pub encoding: Option<EncodingGuess>,
    pub dialect: Option<DialectGuess>,
    pub sheets: Vec<Sheet>,
    /// Which of them is read.
    pub sheet: Option<u32>,
    pub head: HeadGuess,
    /// Names of its columns; blank where there is none.
    pub heads: Vec<String>,
    /// The first row that holds values, from 0.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub first: u64,
}

/// Where a file is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportBreak {
    /// With the place, and what to do.
    pub message: String,
    pub place: Place,
    /// Rows in front of it, which can be taken.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows_before: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportFileState {
    /// Bytes are awaited.
    Uploading,
    /// It waits to be read, or reading it was ended.
    Waiting,
    Reading,
    Read,
    /// It is broken; rows in front of that place may be there.
    Broken,
}

/// A file of an import.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportFile {
    /// Its number in the import.
    pub file: u32,
    pub name: String,
    pub state: ImportFileState,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes: u64,
    /// Bytes that have arrived.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub received: u64,
    /// All rows of it, also blank ones and those above its columns' names.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    /// Null until it was read.
    pub found: Option<ImportFound>,
    pub broken: Option<ImportBreak>,
    /// What the person chose.
    pub settings: ImportSettings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportWork {
    Read,
    Rehearse,
    Accept,
}

/// Work under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportProgress {
    pub work: ImportWork,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    /// How many it will be, where that is known.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub rows_total: Option<u64>,
    /// Bytes read of all files, while they are read.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes_total: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows_per_second: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub elapsed_ms: u64,
    /// It was told to end and has not ended yet.
    pub is_ending: bool,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportAccepted {
    /// The import in the history.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub past: i64,
    /// The step that takes it back.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub step: i64,
    /// The list's uid.
    pub list: String,
    pub list_name: String,
    pub counts: Counts,
    /// Rows that are kept to be mended.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rejects: u64,
    /// Opt-outs that were added.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opt_outs: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub elapsed_ms: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows_per_second: u64,
}

/// How an import stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportState {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub import: u64,
    /// Grows with everything that changes what there is to see, but not with progress.
    pub generation: u32,
    pub purpose: ImportPurpose,
    pub stage: ImportStage,
    pub target: Option<ImportTarget>,
    pub files: Vec<ImportFile>,
    /// Rows of all files. The buckets sum to them.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    /// Null: nothing is under way.
    pub progress: Option<ImportProgress>,
    /// Why the last work came to nothing, and what to do.
    pub fault: Option<String>,
    /// Why it cannot be rehearsed yet; empty: it can.
    pub obstacles: Vec<MappingFault>,
    /// Of the last rehearsal; null when there is none, or something changed since.
    pub counts: Option<Counts>,
    /// Somebody changed the list since: rehearse again.
    pub is_stale: bool,
    pub accepted: Option<ImportAccepted>,
}

/// An import that waits, perhaps since the program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportWaiting {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub import: u64,
    pub purpose: ImportPurpose,
    pub begun_at: Timestamp,
    pub names: Vec<String>,
    pub target: Option<ImportTarget>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    pub stage: ImportStage,
}

/// A row of a file as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRawRow {
    /// From 0, in its file.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub row: u64,
    /// Its line in a text, its row in a sheet, from 1.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub place: u64,
    /// Long ones are cut.
    pub cells: Vec<String>,
    pub is_head: bool,
    /// It stands above the names of the columns.
    pub is_above: bool,
}

/// One column of all files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportColumn {
    /// From 0, as mappings name it.
    pub column: u32,
    /// Blank where it has none.
    pub name: String,
    pub facts: ColumnFacts,
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
    /// Region of numbers without a country where the mapping names none: the usual one of the list.
    pub usual_region: String,
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
    /// Custom fields that would be made.
    pub new_fields: Vec<CustomField>,
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
