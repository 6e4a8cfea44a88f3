//! Defines what the UI receives about local changes.

use roost_model::time::Timestamp;
use roost_ops::ActorKind;
use serde::{Deserialize, Serialize};

use super::{ListDrafts, RecordKey, SyncList, SyncNoun, UnsentKind};

/// The filter for changes. An empty filter selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeFilter {
    /// Text to find in the values before or after.
    pub text: String,
    pub source: Option<ActorKind>,
    /// Only changes of this field.
    pub field: Option<String>,
    /// Only changes made at or after this time.
    pub since: Option<String>,
    /// Only changes made by this step.
    pub step: Option<i64>,
}

/// A node of the tree of changes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeGroupKey {
    pub noun: SyncNoun,
    pub list: Option<i64>,
    pub kind: Option<UnsentKind>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeKindCount {
    pub kind: UnsentKind,
    pub count: u64,
    pub held: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeGroup {
    pub noun: SyncNoun,
    /// The list of the contacts; `None` for other kinds of records.
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
    pub count: u64,
    pub rule: SendRule,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeSource {
    pub source: ActorKind,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangesSummary {
    pub groups: Vec<ChangeGroup>,
    pub total: u64,
    pub held: u64,
    pub refused: u64,
    pub conflicts: u64,
    pub columns: Vec<ChangeColumn>,
    pub sources: Vec<ChangeSource>,
    /// The lists with drafts. The service has or gets the last valid values in their place.
    pub drafts: Vec<ListDrafts>,
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeCell {
    pub field: String,
    pub title: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Whether the column is held back.
    pub is_held: bool,
    /// Whether the column waits until somebody says that the service means the same by it.
    pub is_clash: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeRow {
    pub key: RecordKey,
    /// The identifier at the service, or `None` if the record was created locally.
    pub uid: Option<String>,
    pub title: String,
    pub kind: UnsentKind,
    pub is_held: bool,
    pub is_conflict: bool,
    /// The messages with which the service refused the record.
    pub faults: Vec<String>,
    pub cells: Vec<ChangeCell>,
    pub list: Option<SyncList>,
    /// The list that the contact is in at the service, if it was moved locally.
    pub was_in: Option<SyncList>,
    pub source: Option<ActorKind>,
    pub at: Option<Timestamp>,
    /// The step that last changed the record.
    pub step: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangesPage {
    pub total: u64,
    pub rows: Vec<ChangeRow>,
}

/// A custom field of the account whose number the service uses too, perhaps for something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FieldClash {
    pub number: u32,
    pub label: String,
    /// Some values that the service has in it.
    pub samples: Vec<String>,
    /// The number to which the account's field can be moved.
    pub free: u32,
}
