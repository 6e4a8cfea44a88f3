//! Acts on many cells, as people ask for them.

use serde::Deserialize;

use super::texts::LetterCase;

/// What is done to every selected cell, or from some cells of a row to others. An empty text empties a cell.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum BulkAct {
    Set(String),
    /// True.
    Clear(bool),
    Replace(TextReplace),
    Case(LetterCase),
    /// True. Blanks at the ends go, several in a row become one.
    Trim(bool),
    /// Writes what can be read as a number in E.164; other texts stay.
    E164(NumbersRead),
    /// The first selected column is cut into others; a part that is missing leaves its field as it is.
    Split(TextSplit),
    Join(TextJoin),
    /// What an expression finds in the first selected column: its first group, if it has one.
    Extract(TextExtract),
    Copy(CopyColumn),
    Series(NumberSeries),
    FillBlanks(FillWith),
    /// From the first row of each selected stretch down, or from the first column to the right.
    Fill(FillWay),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TextReplace {
    pub find: String,
    /// With `regex` it may name groups: `$1`.
    pub with: String,
    pub regex: bool,
    pub whole_cell: bool,
    pub case: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NumbersRead {
    /// Null: that of the contact's own number.
    pub region: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TextSplit {
    /// A blank stands for any number of them.
    pub by: String,
    pub into: Vec<String>,
}

/// Cells that are blank are passed over; nothing to join leaves `into` as it is.
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
    /// Only into cells that are blank.
    Blanks,
}

/// `prefix` and a number of at least `pad` digits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NumberSeries {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub start: i64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub step: i64,
    pub prefix: String,
    pub pad: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FillWith {
    /// The nearest text above in the same selected stretch.
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
