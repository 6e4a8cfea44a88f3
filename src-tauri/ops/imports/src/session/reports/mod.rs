//! The reports on an open import: its files, its progress and its result.

mod mapping_report;
mod rehearsal_report;

use roost_model::time::Timestamp;
use roost_sheets::{
    Dialect, DialectGuess, Encoding, EncodingGuess, FilePosition, FileSheet, SourceFormat, head::HeadGuess,
};
use serde::{Deserialize, Serialize};

pub use self::{mapping_report::*, rehearsal_report::*};
use super::super::{accept::AcceptedImport, ledger::ImportLedger, reading::HeadRow, verdicts::BucketCounts};

/// The purpose of an import: what its rows become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportPurpose {
    #[default]
    Contacts,
    OptOuts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportStage {
    /// It has no file yet.
    Empty,
    /// Bytes of a file are expected.
    Uploading,
    Reading,
    /// Everything is read; it has not been rehearsed, or something has changed since.
    Mapping,
    Rehearsing,
    Rehearsed,
    Accepting,
    Accepted,
}

/// The list that rows are imported into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportTarget {
    /// The uid of a list.
    List(String),
    /// The name of a list that the import creates.
    NewList(String),
}

/// The way in which a person wants a file read. Null values are detected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportSettings {
    pub kind: Option<SourceFormat>,
    /// Any name of an encoding in the Encoding Standard of the web.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub encoding: Option<Encoding>,
    pub dialect: Option<Dialect>,
    pub sheet: Option<String>,
    pub head: HeadRow,
    /// Imports the rows before the place where the file is broken.
    pub takes_part: bool,
}

/// The properties of a file that were detected, with the evidence for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportFound {
    pub kind: SourceFormat,
    /// The compression of the file, such as `gzip`.
    pub packing: Option<String>,
    pub encoding: Option<EncodingGuess>,
    pub dialect: Option<DialectGuess>,
    pub sheets: Vec<FileSheet>,
    /// The position in `sheets` of the one that is read.
    pub sheet: Option<u32>,
    pub head: HeadGuess,
    /// Names of the columns; blank for a column without a name.
    pub heads: Vec<String>,
    /// The first row that holds values, from 0.
    pub first: u64,
}

/// The place where a file is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportBreak {
    /// The message says what is wrong, where, and what to do.
    pub message: String,
    pub place: FilePosition,
    /// Rows with values before that place, which can be imported.
    pub rows_before: u64,
    /// Lines from there to the end of the file; null if they cannot be counted.
    pub lines_left: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportFileState {
    /// Bytes are expected.
    Uploading,
    /// It waits to be read, or reading it was cancelled.
    Waiting,
    Reading,
    Read,
    /// It is broken; rows before that place may have been read.
    Broken,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportFile {
    /// The number of the file in the import.
    pub file: u32,
    /// A number that all imported sheets of one file share.
    pub group: u32,
    pub name: String,
    /// The sheet, or the file of the archive, if there are several.
    pub part: Option<String>,
    pub state: ImportFileState,
    pub bytes: u64,
    /// Bytes that have arrived.
    pub received: u64,
    /// Rows that hold values.
    pub rows: u64,
    /// Null until the file was read.
    pub found: Option<ImportFound>,
    pub broken: Option<ImportBreak>,
    /// The settings that the person chose.
    pub settings: ImportSettings,
}

impl ImportFile {
    /// Returns the name of the file, and the name of the sheet or the file of the archive that is read.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let sheet = self.found.as_ref().and_then(|found| found.sheets.get(found.sheet? as usize));
        [Some(self.name.as_str()), sheet.map(|sheet| sheet.name.as_str())].into_iter().flatten()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportWork {
    Read,
    Rehearse,
    Accept,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportProgress {
    pub work: ImportWork,
    pub rows: u64,
    /// The number of rows in the end, if it is known.
    pub rows_total: Option<u64>,
    /// Bytes read of all files, while they are read.
    pub bytes: u64,
    pub bytes_total: u64,
    pub rows_per_second: u64,
    pub elapsed_ms: u64,
    /// Whether it was asked to end and has not ended yet.
    pub is_ending: bool,
}

/// The result of an accepted import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportAccepted {
    #[serde(flatten)]
    pub result: AcceptedImport,
    pub list_name: String,
    /// Everything in the files and what was done with it.
    pub ledger: ImportLedger,
    pub elapsed_ms: u64,
    pub rows_per_second: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportState {
    pub import: u64,
    /// Increases with every visible change except progress.
    pub generation: u32,
    pub purpose: ImportPurpose,
    pub stage: ImportStage,
    pub target: Option<ImportTarget>,
    pub files: Vec<ImportFile>,
    /// Rows of all files that hold values. The buckets sum to them.
    pub rows: u64,
    /// Rows that another screen refused and that only this import has.
    pub refused_rows: u64,
    /// Null: no work is running.
    pub progress: Option<ImportProgress>,
    /// Why the last work failed, and what to do.
    pub fault: Option<String>,
    /// Why it cannot be rehearsed yet; empty if it can.
    pub obstacles: Vec<MappingFault>,
    /// The counts of the last rehearsal; null if there is none, or something has changed since.
    pub counts: Option<BucketCounts>,
    /// Whether the account has changed since the rehearsal, so that it has to be repeated.
    pub is_stale: bool,
    pub accepted: Option<ImportAccepted>,
}

/// An import that waits for a person, perhaps since the program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportWaiting {
    pub import: u64,
    pub purpose: ImportPurpose,
    pub begun_at: Timestamp,
    pub names: Vec<String>,
    pub target: Option<ImportTarget>,
    pub rows: u64,
    /// Rows that another screen refused and that only this import has.
    pub refused_rows: u64,
    pub stage: ImportStage,
}

/// A row of a file as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRawRow {
    /// The number of the row in its file, from 0.
    pub row: u64,
    /// The line in a text, or the row in a sheet, from 1.
    pub place: u64,
    /// Long cells are truncated.
    pub cells: Vec<String>,
    pub is_head: bool,
    /// Whether the row is above the names of the columns.
    pub is_above: bool,
}
