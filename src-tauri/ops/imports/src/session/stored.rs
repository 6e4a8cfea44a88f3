//! Stores an open import in a folder beside the account file, so that it survives the end of the program.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use roost_model::time::Timestamp;
use roost_sheets::Remark;
use roost_store::files::whole_file::{self, Durability};
use serde::{Deserialize, Serialize};

use super::{
    super::{mapping::OpenMapping, mapping::columns::ColumnFacts, reading::ReadCounts},
    open::parts::PartSurvey,
    reports::{ImportBreak, ImportFound, ImportPurpose, ImportSettings, ImportTarget, MappingBy},
};

const FORMAT_VERSION: u32 = 2;
pub(super) const FILE_NAME: &str = "session.json";

/// The place of the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BytesLocation {
    /// The person's own file, which may be changed or removed meanwhile.
    At(PathBuf),
    /// A copy in the folder of the import.
    Here,
}

/// The stored result of reading a file, with the name of its spool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredRead {
    pub found: ImportFound,
    pub columns: Vec<ColumnFacts>,
    /// The number of all rows in the spool.
    pub rows: u64,
    pub counts: ReadCounts,
    pub remarks: Vec<Remark>,
    #[serde(default)]
    pub heading: String,
    #[serde(default)]
    pub title_of_opt_outs: Option<String>,
    /// The name of the spool in the folder.
    pub spool: String,
    /// The length of the spool before any row was fixed.
    pub length: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredFile {
    pub file: u32,
    /// The entry whose bytes these are, if this entry is another sheet of the same file.
    pub of: Option<u32>,
    /// Whether it is decided which sheets of the file are imported, by their contents or by the person.
    pub has_settled_parts: bool,
    /// All sheets of the workbook, or all files of the archive. Only one entry of the group has them.
    pub parts: Vec<PartSurvey>,
    pub name: String,
    /// The numbers to give to the rows behind the first; if empty, the rows keep their own.
    #[serde(default)]
    pub places: Vec<u64>,
    pub bytes: BytesLocation,
    pub size: u64,
    pub received: u64,
    pub settings: ImportSettings,
    pub read: Option<StoredRead>,
    pub broken: Option<ImportBreak>,
}

impl StoredFile {
    /// Returns the entry that was opened first, which is the same for all sheets of one file.
    pub(super) fn group_id(&self) -> u32 {
        self.of.unwrap_or(self.file)
    }

    /// Returns the sheet or archive member that is read, if there are several.
    pub(super) fn part_name(&self) -> Option<&str> {
        let found = self.read.as_ref().map(|read| &read.found);
        let read = found.and_then(|found| found.sheets.get(found.sheet? as usize)).map(|sheet| sheet.name.as_str());
        let is_one = found.is_some_and(|found| found.sheets.len() < 2);
        read.filter(|_| !is_one).or(self.settings.sheet.as_deref().filter(|_| found.is_none()))
    }

    /// Returns the sheet or archive member that is read, even if it is the only one.
    pub(super) fn sheet_name(&self) -> Option<&str> {
        let found = &self.read.as_ref()?.found;
        Some(found.sheets.get(found.sheet? as usize)?.name.as_str())
    }

    /// Returns whether a name means this file, or the part of it that is read.
    pub(super) fn matches_name(&self, name: &str) -> bool {
        let name = name.trim();
        name == self.name || self.sheet_name() == Some(name)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.received == self.size
    }

    /// Returns whether the file has arrived but has not been read.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_whole() && self.read.is_none() && self.broken.is_none()
    }

    /// Returns whether the rows of the file can be imported.
    pub(super) fn is_usable(&self) -> bool {
        self.read.is_some() && (self.broken.is_none() || self.settings.takes_part)
    }
}

/// A row that was fixed, with all its cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FixedRow {
    pub row: u64,
    pub cells: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredImport {
    pub roost_import: u32,
    pub purpose: ImportPurpose,
    /// Whether nobody will resume it, so that it is discarded if the program ends.
    #[serde(default)]
    pub is_passing: bool,
    /// The time when the import was opened, in seconds since 1970.
    pub begun_at: i64,
    /// The time of the last change, in seconds since 1970.
    pub touched_at: i64,
    pub target: Option<ImportTarget>,
    pub files: Vec<StoredFile>,
    /// The number of the last file. Numbers are not used again.
    pub last_file: u32,
    /// The names of the columns that the mapping belongs to.
    pub heads: Vec<String>,
    pub mapping: Option<OpenMapping>,
    pub by: MappingBy,
    pub profile: Option<String>,
    pub mended: Vec<FixedRow>,
    /// The mark is written to the account together with the rows. If the account has it, the import is done, whatever
    /// is still in this folder.
    #[serde(default)]
    pub mark: Option<String>,
}

impl StoredImport {
    pub(super) fn new(purpose: ImportPurpose, target: Option<ImportTarget>, now: Timestamp) -> Self {
        let now = now.unix();
        Self {
            roost_import: FORMAT_VERSION,
            purpose,
            // The screen of opt-outs never resumes an earlier import.
            is_passing: purpose == ImportPurpose::OptOuts,
            begun_at: now,
            touched_at: now,
            target,
            files: Vec::new(),
            last_file: 0,
            heads: Vec::new(),
            mapping: None,
            by: MappingBy::Suggested,
            profile: None,
            mended: Vec::new(),
            mark: None,
        }
    }

    /// Reads the stored import; returns `None` if there is none, or if another version wrote it.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let kept: Self = serde_json::from_slice(&fs::read(folder.join(FILE_NAME)).ok()?).ok()?;
        (kept.roost_import == FORMAT_VERSION).then_some(kept)
    }

    /// Writes to a temporary file and renames it, so that a crash leaves either the old file or the new one.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(FILE_NAME);
        let mut file = whole_file::create_beside(&path)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        whole_file::rename_over(file, &path, Durability::Volatile)
    }

    /// Returns the number of rows that hold values.
    pub(super) fn row_count(&self) -> u64 {
        self.files.iter().filter_map(|file| file.read.as_ref()).map(|read| read.counts.rows).sum()
    }

    /// Returns the number of rows that another screen refused and that exist nowhere else.
    pub(super) fn refused_row_count(&self) -> u64 {
        self.files.iter().map(|file| file.places.len() as u64).sum()
    }
}

/// Creates a new file that only its owner can read.
pub(super) fn create_private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder that only its owner can read, with the folders above it.
pub(super) fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns the path of the copied bytes of a file.
pub(super) fn bytes_path(folder: &Path, file: u32) -> PathBuf {
    folder.join(format!("{file}.bytes"))
}
