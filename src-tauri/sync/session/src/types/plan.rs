//! Defines what the UI receives about plans.

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{GateKind, ListDrafts, RecordKey, SyncList};

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
    /// Creates some contacts and updates others.
    ContactsMerge,
    ContactsUpload,
    ContactDelete,
    ListDelete,
    OptOutDelete,
}

/// The reason for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanStepReason {
    MadeHere,
    ChangedHere,
    /// Some records were created here, and others changed.
    MadeOrChangedHere,
    DeletedHere,
    /// The record is recreated, and this step concerns its old or new version.
    Replaced,
    /// The list is recreated.
    Recreated,
    /// The service no longer has the opt-out, and the user decided to keep it.
    RemovedThere,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanLine {
    pub id: u32,
    /// The steps of this line: deletions of contacts from one list share a line.
    pub ids: Vec<u32>,
    pub operation: String,
    pub kind: PlanStepKind,
    /// The name of a list, a phone number, or the title of a link.
    pub title: String,
    /// The number of contacts or phone numbers in the step.
    pub rows: u64,
    pub after: Vec<u32>,
    /// Whether sending the step twice changes nothing more.
    pub is_repeatable: bool,
    pub why: PlanStepReason,
    /// The fields that an update sends.
    pub fields: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanLane {
    pub operation: String,
    pub calls: u64,
    pub seconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanObstacle {
    /// The interface cannot clear a value.
    Clearing,
    /// The numbers that identify a contact cannot be changed.
    Number,
    /// The service does not have these fields.
    UnknownField,
    /// Nothing that was read from the service shows whether it has these fields.
    UncheckedField,
    /// Nobody has decided whether the service means the same by these fields.
    ClashingField,
    /// No number identifies this contact and no other.
    NoKey,
    /// Another contact of the list has the number.
    KeyTaken,
    /// The interface cannot rename a list.
    Rename,
    /// The interface cannot change a short link.
    LinkEdit,
    /// A removal for the whole account would remove other opt-outs too.
    OnlyAccountLevel,
    /// The service does not name the asset.
    UnnamedAsset,
    /// Open questions inside the list have to be answered first.
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
    pub calls: u64,
}

/// A change that no call can express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanBlocked {
    pub key: RecordKey,
    pub title: String,
    pub obstacle: PlanObstacle,
    pub fields: Vec<String>,
    /// The number of records with the same obstacle and the same choices.
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
pub enum PlanNoticeKind {
    /// Deleted locally, edited at the service: the deletion was dropped.
    DeletionDropped,
    /// Both sides wrote the same value in different forms.
    FormTaken,
    /// The contact opted out again after the removal was requested.
    RemovalCancelled,
    /// The removal has no reason, so the opt-out stays at the service, and the next pull adds it here again.
    NoEvidence,
    Held,
    /// An earlier step with the same number is not verified yet.
    Waiting,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanNote {
    /// The title of the first record.
    pub title: String,
    pub text: PlanNoticeKind,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanGate {
    pub gate: GateKind,
    pub title: String,
    pub rows: u64,
    /// The text that must be typed.
    pub wanted: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanAlternative {
    pub list: SyncList,
    pub choice: PlanChoice,
    pub calls: u64,
    pub instead_of: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanDetails {
    pub id: i64,
    pub at: Timestamp,
    pub is_stale: bool,
    pub steps: Vec<PlanLine>,
    pub writes: u64,
    pub reads: u64,
    pub seconds: u64,
    pub lanes: Vec<PlanLane>,
    pub conflicts: u64,
    pub blocked: Vec<PlanBlocked>,
    /// The first refused records; `refused_count` is the number of all.
    pub refused: Vec<PlanRefused>,
    pub refused_count: u64,
    pub notes: Vec<PlanNote>,
    pub gates: Vec<PlanGate>,
    pub alternatives: Vec<PlanAlternative>,
    /// The lists with drafts. The service has or gets the last valid values in their place.
    pub drafts: Vec<ListDrafts>,
}

/// A request as it would be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanBody {
    pub method: String,
    pub url: String,
    /// The first rows of the request.
    pub body: Option<String>,
    pub rows: u64,
    pub shown: u64,
    /// The request as a command line. The key is taken from a variable.
    pub curl: String,
}
