//! Defines what the UI receives about conflicts.

use serde::{Deserialize, Serialize};

use super::{ColumnRule, RecordKey, SyncList, SyncValue};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DisputeKind {
    Fields,
    /// Edited locally, deleted at the service.
    DeletedThere,
    /// The list was deleted at the service, with local changes inside it.
    ListGone,
    /// The list was deleted locally, while its contacts changed at the service.
    ListChanged,
    OptOutGone,
}

/// A person's answer for one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ConflictAnswer {
    Mine,
    Theirs,
    Base,
    Value { value: Option<String> },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictFork {
    pub field: String,
    pub title: String,
    pub base: Option<String>,
    pub mine: Option<String>,
    pub theirs: Option<String>,
    pub answer: Option<ConflictAnswer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictRow {
    pub key: RecordKey,
    pub uid: Option<String>,
    pub title: String,
    pub list: Option<SyncList>,
    pub dispute: DisputeKind,
    pub forks: Vec<ConflictFork>,
    /// The values of the record without a conflict.
    pub agreed: Vec<SyncValue>,
    /// The number of contacts of a list that were changed here.
    pub rows: Option<u64>,
    /// The number of contacts that a list has here.
    pub contacts: Option<u64>,
    /// The choice made for a list or an opt-out.
    pub choice: Option<RecordChoice>,
}

/// The number of conflicts of a field that each rule would settle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RuleEffect {
    pub mine: u64,
    pub theirs: u64,
    pub non_empty: u64,
    pub longer: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictField {
    pub field: String,
    pub title: String,
    pub count: u64,
    pub rule: ColumnRule,
    pub settles: RuleEffect,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictsPage {
    pub total: u64,
    pub rows: Vec<ConflictRow>,
    pub fields: Vec<ConflictField>,
    /// The number of opt-outs in conflict that nobody has decided about.
    pub open_opt_outs: u64,
    /// Whether local deletions take precedence although the record was edited at the service.
    pub delete_anyway: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictsSettled {
    pub settled: u64,
    pub left: u64,
    /// The number by which this can be reopened until something else is settled, or `null` if it cannot.
    pub undo: Option<u64>,
}

/// The result of reopening conflicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictsReopened {
    pub opened: u64,
    /// The number of records that were changed, sent or read again since and therefore stay as they are.
    pub kept: u64,
}

/// A choice about a list or an opt-out that one side deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RecordChoice {
    Recreate,
    Discard,
    DeleteAnyway,
    CreateAgain,
    LetGo,
}
