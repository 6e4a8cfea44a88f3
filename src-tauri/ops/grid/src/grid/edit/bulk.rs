//! Defines the acts on many cells that a person can request.

use serde::Deserialize;

use super::texts::LetterCase;

/// An act on every selected cell, or from some cells of a row to others. An empty text empties a cell.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum BulkAct {
    Set(String),
    /// Always `true`.
    Clear(bool),
    Replace(TextReplace),
    Case(LetterCase),
    /// Always `true`. Removes spaces at the ends and reduces repeated spaces to one.
    Trim(bool),
    /// Writes every text that can be read as a number in E.164 form. Other texts stay unchanged.
    E164(NumbersRead),
    /// Splits the first selected column into other fields. If a part is missing, its field stays unchanged.
    Split(TextSplit),
    Join(TextJoin),
    /// Extracts what a regular expression matches in the first selected column: its first group, if it has one.
    Extract(TextExtract),
    Copy(CopyColumn),
    Series(NumberSeries),
    FillBlanks(FillWith),
    /// Fills from the first row of each selected range down, or from the first column to the right.
    Fill(FillWay),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TextReplace {
    pub find: String,
    /// With `regex`, the text may refer to groups: `$1`.
    pub with: String,
    pub regex: bool,
    pub whole_cell: bool,
    pub case: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NumbersRead {
    /// If null, the region of the contact's own number.
    pub region: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TextSplit {
    /// A space matches any number of spaces.
    pub by: String,
    pub into: Vec<String>,
}

/// Joins texts. Empty cells are skipped, and if all are empty, `into` stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TextJoin {
    pub from: Vec<String>,
    pub by: String,
    pub into: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TextExtract {
    pub regex: String,
    pub into: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CopyColumn {
    pub from: String,
    pub into: String,
    pub mode: CopyMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CopyMode {
    All,
    /// Copies only into empty cells.
    Blanks,
}

/// A prefix and a number of at least `pad` digits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NumberSeries {
    pub start: i64,
    pub step: i64,
    pub prefix: String,
    pub pad: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FillWith {
    /// The nearest text above in the same selected range.
    Above,
    Text(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FillWay {
    Down,
    Right,
}
