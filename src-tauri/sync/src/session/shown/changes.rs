//! What was changed here since both sides agreed.

use roost_model::time::Timestamp;
use roost_ops::Source;
use serde::{Deserialize, Serialize};

use super::{RecordKey, SyncList, SyncNoun};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ChangeKind {
    New,
    Changed,
    Moved,
    Deleted,
}

/// Which changes are looked at; nothing set: all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeFilter {
    /// Anywhere in the values before and after.
    pub text: String,
    pub source: Option<Source>,
    /// Changes of this field.
    pub field: Option<String>,
    /// Made at or behind this time.
    pub since: Option<String>,
    /// Made by this step.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub step: Option<i64>,
}

/// One node of the tree of changes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeGroupKey {
    pub noun: SyncNoun,
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub list: Option<i64>,
    pub kind: Option<ChangeKind>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeKindCount {
    pub kind: ChangeKind,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub held: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeGroup {
    pub noun: SyncNoun,
    /// Of contacts.
    pub list: Option<SyncList>,
    pub kinds: Vec<ChangeKindCount>,
}

/// Whether changes of a column are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SendRule {
    Send,
    Hold,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeColumn {
    pub field: String,
    pub title: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    pub rule: SendRule,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeSource {
    pub source: Source,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangesSummary {
    pub groups: Vec<ChangeGroup>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub held: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub refused: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub conflicts: u64,
    pub columns: Vec<ChangeColumn>,
    pub sources: Vec<ChangeSource>,
}

/// One value that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeCell {
    pub field: String,
    pub title: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Its column is held back.
    pub is_held: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeRow {
    pub key: RecordKey,
    /// As the service calls it; none for what was made here.
    pub uid: Option<String>,
    pub title: String,
    pub kind: ChangeKind,
    pub is_held: bool,
    pub is_conflict: bool,
    /// What the service said when it refused the record.
    pub faults: Vec<String>,
    pub cells: Vec<ChangeCell>,
    pub list: Option<SyncList>,
    /// The list it is in at the service, when it was moved.
    pub was_in: Option<SyncList>,
    pub source: Option<Source>,
    pub at: Option<Timestamp>,
    /// The step that changed it last.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub step: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangesPage {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
    pub rows: Vec<ChangeRow>,
}
