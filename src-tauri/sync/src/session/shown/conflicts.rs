//! What both sides changed, each in its way.

use serde::{Deserialize, Serialize};

use super::{RecordKey, SyncList, SyncValue};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DisputeKind {
    Fields,
    /// Edited here, deleted there.
    DeletedThere,
    /// A list is gone there, with changes inside it here.
    ListGone,
    /// A list was deleted here, while its contacts changed there.
    ListChanged,
    OptOutGone,
}

/// What a person decided about a value.
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
    /// The rest of the record.
    pub agreed: Vec<SyncValue>,
    /// Contacts of a list that are concerned.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub rows: Option<u64>,
    /// What was chosen for a list or an opt-out.
    pub choice: Option<RecordChoice>,
}

/// How disputes about a column are settled without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ColumnRule {
    Ask,
    Mine,
    Theirs,
    NonEmpty,
    Longer,
}

/// How many disputes about a field each rule would settle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RuleSettles {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub mine: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub theirs: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub non_empty: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub longer: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictField {
    pub field: String,
    pub title: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    pub rule: ColumnRule,
    pub settles: RuleSettles,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictsPage {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
    pub rows: Vec<ConflictRow>,
    pub fields: Vec<ConflictField>,
    /// Deletions here stand although the record was edited there.
    pub delete_anyway: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictsSettled {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub settled: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub left: u64,
    /// By which it can be opened again until something else is settled; none: it cannot.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub undo: Option<u64>,
}

/// What became of opening questions again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConflictsReopened {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opened: u64,
    /// Changed, sent or read anew since; they stay as they are.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub kept: u64,
}

/// What can be chosen about a list or an opt-out that one side lost.
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
