//! What outlives the program of an import under way: a folder of its own beside the account file.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use roost_model::time::Timestamp;
use roost_sheets::Remark;
use roost_store::files::whole_file::{self, Lasting};
use serde::{Deserialize, Serialize};

use super::{
    super::{columns::ColumnFacts, mapping::OpenMapping, reading::ReadCounts},
    open::parts::PartSurvey,
    told::{ImportBreak, ImportFound, ImportPurpose, ImportSettings, ImportTarget, MappingBy},
};

/// The form of the file.
const FORM: u32 = 2;
pub const NAME: &str = "session.json";

/// Where the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bytes {
    /// Where the person has it; it may go or change.
    At(PathBuf),
    /// Put aside here.
    Here,
}

/// What was found in a file, and where its rows were put aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptRead {
    pub found: ImportFound,
    pub columns: Vec<ColumnFacts>,
    /// All rows that were put aside.
    pub rows: u64,
    pub counts: ReadCounts,
    pub remarks: Vec<Remark>,
    #[serde(default)]
    pub heading: String,
    #[serde(default)]
    pub title_of_opt_outs: Option<String>,
    /// The name of the spool in the folder, and how long it was before anything was mended.
    pub spool: String,
    pub length: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptFile {
    pub file: u32,
    /// The entry whose bytes these are: this one is another sheet of them.
    pub of: Option<u32>,
    /// Which of its sheets are taken is settled: by what is in them, or by the person.
    pub has_settled_parts: bool,
    /// All sheets of the workbook, or all files of the archive; known to one entry of the group.
    pub parts: Vec<PartSurvey>,
    pub name: String,
    /// What its rows behind the first are numbered; empty: as they stand.
    #[serde(default)]
    pub places: Vec<u64>,
    pub bytes: Bytes,
    pub size: u64,
    pub received: u64,
    pub settings: ImportSettings,
    pub read: Option<KeptRead>,
    pub broken: Option<ImportBreak>,
}

impl KeptFile {
    /// What the sheets of one file have in common: the number of the entry that was opened.
    pub fn group(&self) -> u32 {
        self.of.unwrap_or(self.file)
    }

    /// The sheet or archive member that is read, where there are several.
    pub fn part(&self) -> Option<&str> {
        let found = self.read.as_ref().map(|read| &read.found);
        let read = found.and_then(|found| found.sheets.get(found.sheet? as usize)).map(|sheet| sheet.name.as_str());
        let is_one = found.is_some_and(|found| found.sheets.len() < 2);
        read.filter(|_| !is_one).or(self.settings.sheet.as_deref().filter(|_| found.is_none()))
    }

    /// The sheet or archive member that is read, also where it is the only one.
    pub fn sheet(&self) -> Option<&str> {
        let found = &self.read.as_ref()?.found;
        Some(found.sheets.get(found.sheet? as usize)?.name.as_str())
    }

    /// Whether a name means this file, or the part of it that is read.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.trim();
        name == self.name || self.sheet() == Some(name)
    }

    pub fn is_whole(&self) -> bool {
        self.received == self.size
    }

    /// Nothing is known of it yet.
    pub fn waits(&self) -> bool {
        self.is_whole() && self.read.is_none() && self.broken.is_none()
    }

    /// Its rows can be taken.
    pub fn is_good(&self) -> bool {
        self.read.is_some() && (self.broken.is_none() || self.settings.takes_part)
    }
}

/// A row that was mended, with all its cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mended {
    pub row: u64,
    pub cells: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub roost_import: u32,
    pub purpose: ImportPurpose,
    /// Nobody comes back to it: it goes with the program that began it.
    #[serde(default)]
    pub is_passing: bool,
    /// Seconds since 1970, as is the next.
    pub begun_at: i64,
    pub touched_at: i64,
    pub target: Option<ImportTarget>,
    pub files: Vec<KeptFile>,
    /// The number of the last file, which is not used again.
    pub last_file: u32,
    /// Names of the columns that the mapping is of.
    pub heads: Vec<String>,
    pub mapping: Option<OpenMapping>,
    pub by: MappingBy,
    pub profile: Option<String>,
    pub mended: Vec<Mended>,
    /// Written into the account with the rows: an import with this mark is done, whatever is left of it here.
    #[serde(default)]
    pub mark: Option<String>,
}

impl Kept {
    pub fn new(purpose: ImportPurpose, target: Option<ImportTarget>, now: Timestamp) -> Self {
        let now = now.unix();
        Self {
            roost_import: FORM,
            purpose,
            // The screen of opt-outs begins anew.
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

    /// Nothing where there is no import, or one of another version.
    pub fn read(folder: &Path) -> Option<Self> {
        let kept: Self = serde_json::from_slice(&fs::read(folder.join(NAME)).ok()?).ok()?;
        (kept.roost_import == FORM).then_some(kept)
    }

    /// Written beside and renamed: it is there whole or as it was before.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(NAME);
        let mut file = whole_file::create_beside(&path)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        whole_file::rename_over(file, &path, Lasting::Perhaps)
    }

    /// Rows that hold values.
    pub fn rows(&self) -> u64 {
        self.files.iter().filter_map(|file| file.read.as_ref()).map(|read| read.counts.rows).sum()
    }
}

/// A new file, for its owner's eyes only.
pub fn create(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The same for a folder, with those above it.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The bytes of a file that were put aside.
pub fn bytes_of(folder: &Path, file: u32) -> PathBuf {
    folder.join(format!("{file}.bytes"))
}
