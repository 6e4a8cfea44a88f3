//! The form of a file: its kind and its parts, as a person chooses them and as they were found.

use serde::{Deserialize, Serialize};

use crate::{
    block::RowReader,
    limits::ReadLimits,
    text::{
        dialect::{Dialect, DialectGuess},
        encoding::{Encoding, EncodingGuess},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportFileKind"))]
pub enum SourceFormat {
    /// Text with any separator.
    Text,
    Xlsx,
    Ods,
    Vcard,
    /// A list of records, or records one after another.
    Json,
}

/// A part of a file that is read separately: a sheet of a workbook, or a file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportSheet"))]
pub struct FileSheet {
    pub name: String,
    pub is_hidden: bool,
}

/// The person's choices for reading a file. Options that are `None` are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    pub kind: Option<SourceFormat>,
    pub encoding: Option<Encoding>,
    pub dialect: Option<Dialect>,
    pub sheet: Option<String>,
    pub limits: ReadLimits,
}

/// A file whose form is known, before its first row.
pub struct OpenedSheet {
    pub kind: SourceFormat,
    /// Name of the packing, such as `gzip`.
    pub packing: Option<&'static str>,
    pub encoding: Option<EncodingGuess>,
    pub dialect: Option<DialectGuess>,
    /// Sheets of the workbook, or files of an archive with several files.
    pub sheets: Vec<FileSheet>,
    /// The index of the one that is read.
    pub sheet: Option<usize>,
    pub rows: Box<dyn RowReader>,
}
