//! The ledger of an import: a list of everything in its files and what was done with it. Nothing is left out without an
//! entry.

pub mod tally;

use serde::{Deserialize, Serialize};

/// The subject of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportLedgerItem"))]
pub enum LedgerItem {
    Column,
    /// A column of telephone numbers.
    Telephone,
    /// A column that seems to say who opted out.
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
    /// A spreadsheet error such as `#REF!` in place of a value.
    SpreadsheetError,
    /// `NaT`, `NULL`, or a date that does not exist.
    InvalidValue,
    FormulaWithoutResult,
    /// Values of the files that are left out because the list has another value.
    ListValueStays,
    /// Rows that are left out because another row with the same number is imported.
    DuplicateRows,
    /// Rows that are left out because several contacts of the list have the number.
    AmbiguousRows,
    OptedOutRows,
    RejectedRows,
    RowsAfterBreak,
    HeadingRows,
    BlankRows,
    /// A property that describes the file and not a person.
    FileForm,
    TrimmedSpace,
    RoundedNumber,
    ExactNumber,
    /// Numbers in the spelling of spreadsheets and other programs: `447700900100.0`, `tel:…`.
    NumberSpelling,
    /// Dates that are stored as year, month and day.
    DateForm,
    /// Dates that stay texts, because they are incomplete, in the future, or contradict the order of the others.
    UnreadDate,
    /// Numbers without a country code.
    NationalNumber,
    /// A value of an opt-out column, with whether it opts out.
    ConsentValue,
    /// A file in which everybody opted out.
    OptedOutList,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportLedgerOutcome"))]
pub enum LedgerOutcome {
    Taken,
    /// Headings, blank rows, and properties that describe the file: they say nothing about a contact.
    NotData,
    LeftOut,
    /// It is in an invalid row, which can be fixed and imported later.
    Rejected,
}

/// The unit of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportLedgerUnit"))]
pub enum LedgerUnit {
    Values,
    /// A stored ledger may call the rows after a break in a file lines.
    #[serde(alias = "lines")]
    Rows,
}

/// One kind of thing in the files, and what is done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportLedgerEntry"))]
pub struct LedgerEntry {
    /// The file, with the sheet if it has several; empty: all files.
    pub file: String,
    pub what: LedgerItem,
    /// The name in the file; empty if it has none.
    pub name: String,
    pub outcome: LedgerOutcome,
    /// The fields that it fills: `phone_number`, or `opt_out`.
    pub fields: Vec<String>,
    /// Why it was not imported unchanged; empty if it was.
    pub reason: String,
    /// None: the number is unknown.
    pub count: Option<u64>,
    pub unit: LedgerUnit,
    /// An example of it.
    pub example: String,
    /// Whether somebody chose this outcome.
    pub is_chosen: bool,
}

impl LedgerEntry {
    /// Returns whether something was left out although nobody chose so.
    pub fn is_unnoticed(&self) -> bool {
        self.outcome == LedgerOutcome::LeftOut && !self.is_chosen && self.count != Some(0)
    }
}

/// A sum of things by their outcome. The other numbers sum to `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportLedgerSum"))]
pub struct LedgerSum {
    pub all: u64,
    pub taken: u64,
    pub left_out: u64,
    pub rejected: u64,
    pub not_data: u64,
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
    /// Returns how many telephone numbers are left out of cells that count as imported, because another number of the
    /// cell is.
    pub fn count_dropped_numbers(&self) -> u64 {
        let is_lost = |entry: &&LedgerEntry| {
            (entry.outcome, entry.unit) == (LedgerOutcome::LeftOut, LedgerUnit::Values) && entry.count.is_some()
        };
        let sum = |is_it: fn(&LedgerEntry) -> bool| -> u64 {
            self.entries.iter().filter(is_lost).filter(|entry| is_it(entry)).filter_map(|entry| entry.count).sum()
        };
        let telephones = sum(|entry| entry.what == LedgerItem::Telephone);
        telephones.min(sum(|_| true).saturating_sub(self.cells.left_out))
    }

    /// Returns the entries for what was left out although nobody chose so.
    pub fn unnoticed_entries(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter().filter(|entry| entry.is_unnoticed())
    }
}
