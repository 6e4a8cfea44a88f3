//! A plan as a person reads it.

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RecordKey, SyncList};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanStepKind {
    OptOutCreate,
    ListCreate,
    LinkCreate,
    LinkDelete,
    SenderDelete,
    ContactsCreate,
    ContactsUpdate,
    ContactsUpload,
    ContactDelete,
    ListDelete,
    OptOutDelete,
}

/// Why a step is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanWhy {
    MadeHere,
    ChangedHere,
    DeletedHere,
    /// The old one of a record that is made anew.
    Replaced,
    /// The list is made anew.
    Recreated,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanStep {
    pub id: u32,
    /// Steps of one line: deletions of contacts of one list are shown as one.
    pub ids: Vec<u32>,
    pub operation: String,
    pub kind: PlanStepKind,
    /// A list's name, a number, a title.
    pub title: String,
    /// Contacts or numbers in it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    pub after: Vec<u32>,
    /// A second time changes nothing more.
    pub is_repeatable: bool,
    pub why: PlanWhy,
    /// The fields that an update sends.
    pub fields: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanLane {
    pub operation: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub calls: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanObstacle {
    /// A value cannot be emptied.
    Clearing,
    /// The numbers by which a contact is found cannot be changed.
    Number,
    /// The service has no such field.
    UnknownField,
    /// No number finds this contact and no other.
    NoKey,
    /// Another contact of the list has the number.
    KeyTaken,
    /// A list cannot be renamed.
    Rename,
    /// A short link cannot be changed.
    LinkEdit,
    /// A removal for the whole account would take others with it.
    OnlyAccountLevel,
    /// The service does not name the asset.
    UnnamedAsset,
    /// Open questions inside the list come first.
    ConflictsInside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanChoice {
    KeepLocal,
    Replace,
    KeepBoth,
    Alias,
    Recreate,
    Discard,
    DeleteAnyway,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanOption {
    pub choice: PlanChoice,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub calls: u64,
}

/// A wish that no call grants as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanBlocked {
    pub key: RecordKey,
    pub title: String,
    pub obstacle: PlanObstacle,
    pub fields: Vec<String>,
    /// How many have the same obstacle with the same choices.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    pub choices: Vec<PlanOption>,
    pub chosen: Option<PlanChoice>,
}

/// A record that breaks a rule of the service and is not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanRefused {
    pub key: RecordKey,
    pub title: String,
    pub list: Option<SyncList>,
    pub faults: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanTold {
    /// Deleted here, edited there: the deletion was dropped.
    DeletionDropped,
    /// Both sides wrote the same in another form.
    FormTaken,
    /// The opt-out came again after its removal was asked for.
    RemovalCancelled,
    /// The removal has no evidence, so the opt-out stays.
    NoEvidence,
    Held,
    /// An earlier step with the same number is not verified yet.
    Waiting,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanNote {
    /// The first of them by name.
    pub title: String,
    pub text: PlanTold,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanGateKind {
    ManyDeletions,
    ListDeletion,
    SenderDeletion,
    OptOutRemoval,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanGate {
    pub gate: PlanGateKind,
    pub title: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    /// What must be typed.
    pub wanted: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanAlternative {
    pub list: SyncList,
    pub choice: PlanChoice,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub calls: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub instead_of: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanShown {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: i64,
    pub at: Timestamp,
    pub is_stale: bool,
    pub steps: Vec<PlanStep>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub writes: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub reads: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seconds: u64,
    pub lanes: Vec<PlanLane>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub conflicts: u64,
    pub blocked: Vec<PlanBlocked>,
    /// The first of them; `refused_count` says how many there are.
    pub refused: Vec<PlanRefused>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub refused_count: u64,
    pub notes: Vec<PlanNote>,
    pub gates: Vec<PlanGate>,
    pub alternatives: Vec<PlanAlternative>,
}

/// A request as it would be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanBody {
    pub method: String,
    pub url: String,
    /// Its first rows.
    pub body: Option<String>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub shown: u64,
    /// The same as a command line, with dots for the key.
    pub curl: String,
}
