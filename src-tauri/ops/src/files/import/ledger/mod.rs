//! The ledger of an import lists everything in its files and what becomes of it. Nothing is left out without an entry.

pub mod tally;

use serde::{Deserialize, Serialize};

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportLedgerItem"))]
pub enum LedgerItem {
    Column,
    /// A column of telephone numbers.
    Telephone,
    /// A column that looks as if it said who opted out.
    Consent,
    /// Cells beyond the last column that has a name.
    SurplusCells,
    Sheet,
    ArchiveMember,
    /// A property of a vCard, or a value beside the records of a JSON file.
    Property,
    /// A name that repeats other names.
    RepeatedName,
    Comment,
    /// A value that the format of its cell hides.
    HiddenValue,
    /// Rows that a sheet hides, by a filter for example.
    HiddenRows,
    /// `#REF!` and its kind in the place of a value.
    SpreadsheetError,
    /// `NaT`, `NULL`, or a date that no calendar has.
    InvalidValue,
    FormulaWithoutResult,
    /// Values of a file that give way to those of the list.
    ListValueStays,
    /// Another row with the same number was taken.
    DuplicateRows,
    /// Several contacts of the list have the number.
    AmbiguousRows,
    OptedOutRows,
    RejectedRows,
    RowsAfterBreak,
    HeadingRows,
    BlankRows,
    /// It describes the file.
    FileForm,
    TrimmedSpace,
    RoundedNumber,
    ExactNumber,
    /// Numbers as spreadsheets and other programs write them: `447700900100.0`, `tel:…`.
    NumberSpelling,
    /// Dates that are stored as year, month and day.
    DateForm,
    /// Numbers without a country code.
    NationalNumber,
    /// A value of an opt-out column, and whether it opts out.
    ConsentValue,
    /// A file in which everybody opted out.
    OptedOutList,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportLedgerOutcome"))]
pub enum LedgerOutcome {
    Taken,
    /// Headings, blank rows, and what describes the file: nothing about a contact.
    NotData,
    LeftOut,
    /// In a row that is invalid, and can be fixed and imported later.
    Rejected,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportLedgerUnit"))]
pub enum LedgerUnit {
    Values,
    Rows,
    Lines,
}

/// One thing that the files hold, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportLedgerEntry"))]
pub struct LedgerEntry {
    /// The file, with the sheet where it has several; empty: all files.
    pub file: String,
    pub what: LedgerItem,
    /// What the file calls it; empty where it has no name.
    pub name: String,
    pub outcome: LedgerOutcome,
    /// Fields it was taken as: `phone_number`, or `opt_out`.
    pub fields: Vec<String>,
    /// Why it was not taken as it is; empty where it was.
    pub reason: String,
    /// None: it cannot be counted.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub count: Option<u64>,
    pub unit: LedgerUnit,
    /// One case of it.
    pub example: String,
    /// Somebody chose this.
    pub is_chosen: bool,
}

impl LedgerEntry {
    /// Whether something was left out that nobody chose to leave out.
    pub fn is_unnoticed(&self) -> bool {
        self.outcome == LedgerOutcome::LeftOut && !self.is_chosen && self.count != Some(0)
    }
}

/// How many of something there are. The other numbers sum to `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportLedgerSum"))]
pub struct LedgerSum {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub all: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub taken: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub left_out: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rejected: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub not_data: u64,
}

impl LedgerSum {
    pub fn is_even(&self) -> bool {
        self.all == self.taken + self.left_out + self.rejected + self.not_data
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportLedger {
    pub columns: LedgerSum,
    /// Cells that are not blank.
    pub cells: LedgerSum,
    pub rows: LedgerSum,
    pub entries: Vec<LedgerEntry>,
}

impl ImportLedger {
    /// What was left out although nobody chose so.
    pub fn unnoticed(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter().filter(|entry| entry.is_unnoticed())
    }
}
