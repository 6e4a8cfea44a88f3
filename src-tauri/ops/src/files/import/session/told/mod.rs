//! What is told of an import under way: its files, how far it is, what came of it.

mod columns;
mod rehearsal;

use roost_model::time::Timestamp;
use roost_sheets::{Dialect, DialectGuess, Encoding, EncodingGuess, Kind, Place, Sheet, head::HeadGuess};
use serde::{Deserialize, Serialize};

pub use self::{columns::*, rehearsal::*};
use super::super::{ledger::ImportLedger, reading::HeadRow, verdicts::Counts};

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
    /// Rows with values in front of it, which can be taken.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows_before: u64,
    /// Lines from there to the end of the file; null where they cannot be counted.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub lines_left: Option<u64>,
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
    /// The same for all sheets of one file that are taken.
    pub group: u32,
    pub name: String,
    /// The sheet, or the file of the archive, where there are several.
    pub part: Option<String>,
    pub state: ImportFileState,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes: u64,
    /// Bytes that have arrived.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub received: u64,
    /// Rows that hold values.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    /// Null until it was read.
    pub found: Option<ImportFound>,
    pub broken: Option<ImportBreak>,
    /// What the person chose.
    pub settings: ImportSettings,
}

impl ImportFile {
    /// What it is called: as a file, and as the sheet or the file of the archive that is read of it.
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
    /// Everything the files hold, and what became of it.
    pub ledger: ImportLedger,
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
    /// Rows of all files that hold values. The buckets sum to them.
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
