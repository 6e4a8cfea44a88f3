//! Defines the parts of a plan.

use roost_model::{channel::Channel, contact::MergeType};
use serde::{Deserialize, Serialize};

use super::{
    check::RuleViolation,
    cost::PlanCost,
    lane::{Lane, PlanStage},
};
use crate::{
    audit::Digest,
    input::{ChangeChoice, ListChoice, OptOutTarget},
    merge::{FieldFork, MergeNote},
    row::{ContactKey, ContactRow, SyncField},
};

/// The rule for sending a request of unknown fate again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatRule {
    /// A second request changes nothing more.
    Blindly,
    /// A read comes first, and only what it does not find is sent again.
    AfterReading,
}

/// A contact in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenItem", into = "WrittenItem")]
pub struct ContactItem {
    pub id: i64,
    /// The body: the number that identifies the contact and the changed values, or all values of a new contact.
    pub send: ContactRow,
    /// The fields that are sent as null.
    pub clear: Vec<SyncField>,
    /// The contact as the service has it now.
    pub before: Option<ContactRow>,
    /// The contact as the service is to have it.
    pub expect: ContactRow,
}

/// The stored form of an item, which leaves `expect` out if it equals `send`.
#[derive(Serialize, Deserialize)]
struct WrittenItem {
    id: i64,
    send: ContactRow,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clear: Vec<SyncField>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<ContactRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<ContactRow>,
}

impl From<WrittenItem> for ContactItem {
    fn from(WrittenItem { id, send, clear, before, expect }: WrittenItem) -> Self {
        let expect = expect.unwrap_or_else(|| send.clone());
        Self { id, send, clear, before, expect }
    }
}

impl From<ContactItem> for WrittenItem {
    fn from(ContactItem { id, send, clear, before, expect }: ContactItem) -> Self {
        let expect = (expect != send).then_some(expect);
        Self { id, send, clear, before, expect }
    }
}

/// The request of a step, with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepKind {
    OptOutCreate {
        number: String,
        channel: Channel,
        asset: Option<String>,
    },
    ListCreate {
        list: i64,
        name: String,
    },
    LinkCreate {
        id: i64,
        /// The link as it was when the run began. It may have been deleted locally by the time its request has to be
        /// looked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cells: Option<String>,
    },
    LinkDelete {
        id: i64,
        uid: String,
    },
    SenderDelete {
        uid: String,
    },
    Contacts {
        list: i64,
        merge: MergeType,
        region: Option<String>,
        items: Vec<ContactItem>,
    },
    /// Uploads a range of the contacts of the local list, in the order of their ids.
    Upload {
        list: i64,
        from: u64,
        count: u64,
    },
    ContactDelete {
        id: i64,
        list: i64,
        uid: String,
        before: ContactRow,
    },
    ListDelete {
        list: i64,
        uid: String,
    },
    OptOutDelete {
        channel: Channel,
        asset: Option<String>,
        numbers: Vec<String>,
    },
}

impl StepKind {
    pub fn lane(&self) -> Lane {
        match self {
            Self::OptOutCreate { .. } => Lane::OptOutsCreate,
            Self::ListCreate { .. } => Lane::ListsCreate,
            Self::LinkCreate { .. } => Lane::ShortLinksCreate,
            Self::LinkDelete { .. } => Lane::ShortLinksDelete,
            Self::SenderDelete { .. } => Lane::SendersDelete,
            Self::Contacts { .. } | Self::Upload { .. } => Lane::ContactsCreate,
            Self::ContactDelete { .. } => Lane::ContactsDelete,
            Self::ListDelete { .. } => Lane::ListsDelete,
            Self::OptOutDelete { .. } => Lane::OptOutsDelete,
        }
    }

    pub fn stage(&self) -> PlanStage {
        match self {
            Self::OptOutCreate { .. } => PlanStage::OptOutCreate,
            Self::ListCreate { .. } => PlanStage::ListCreate,
            Self::LinkCreate { .. } | Self::LinkDelete { .. } | Self::SenderDelete { .. } => PlanStage::Single,
            Self::Contacts { .. } | Self::Upload { .. } => PlanStage::Bulk,
            Self::ContactDelete { .. } => PlanStage::Delete,
            Self::ListDelete { .. } => PlanStage::ListDelete,
            Self::OptOutDelete { .. } => PlanStage::OptOutDelete,
        }
    }

    /// Returns the number of contacts or phone numbers in the step, or 1 for any other kind.
    pub fn row_count(&self) -> usize {
        match self {
            Self::Contacts { items, .. } => items.len(),
            Self::Upload { count, .. } => usize::try_from(*count).unwrap_or(usize::MAX),
            Self::OptOutDelete { numbers, .. } => numbers.len(),
            _ => 1,
        }
    }

    pub fn repeat_rule(&self) -> RepeatRule {
        match self {
            Self::OptOutCreate { .. } | Self::ListCreate { .. } | Self::LinkCreate { .. } => RepeatRule::AfterReading,
            Self::Contacts { merge: MergeType::AllowDuplicates, .. } => RepeatRule::AfterReading,
            Self::Contacts { merge: MergeType::SkipDuplicates, items, .. } => {
                // The service recognises duplicates by phone number alone.
                let safe = items.iter().all(|item| item.send.get(SyncField::Phone).is_some());
                if safe { RepeatRule::Blindly } else { RepeatRule::AfterReading }
            }
            Self::Upload { .. } => RepeatRule::AfterReading,
            Self::Contacts { .. }
            | Self::LinkDelete { .. }
            | Self::SenderDelete { .. }
            | Self::ContactDelete { .. }
            | Self::ListDelete { .. }
            | Self::OptOutDelete { .. } => RepeatRule::Blindly,
        }
    }
}

/// A planned request of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Serialised as `step`, because the flattened kind may have an `id` too.
    #[serde(rename = "step")]
    pub id: u32,
    pub lane: Lane,
    pub stage: PlanStage,
    /// The steps that must be verified first, in addition to those that the stage waits for.
    pub after: Vec<u32>,
    pub repeat: RepeatRule,
    #[serde(flatten)]
    pub kind: StepKind,
}

impl PlanStep {
    pub fn new(id: u32, kind: StepKind, after: Vec<u32>) -> Self {
        Self { id, lane: kind.lane(), stage: kind.stage(), after, repeat: kind.repeat_rule(), kind }
    }
}

/// The record that a line of the plan concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "noun", rename_all = "snake_case")]
pub enum PlanSubject {
    Contact { id: i64, list: i64 },
    List { id: i64 },
    OptOut { number: String, channel: Channel, reach: OptOutTarget },
    Link { id: i64 },
    Sender { uid: String },
}

/// A question to the user that holds back its record and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanConflict {
    pub subject: PlanSubject,
    #[serde(flatten)]
    pub disputed: ConflictKind,
}

/// The kind of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "dispute", rename_all = "snake_case")]
pub enum ConflictKind {
    Fields {
        forks: Vec<FieldFork>,
    },
    /// Edited locally, deleted at the service.
    DeletedThere,
    /// The list was deleted at the service, with local changes inside it.
    ListGone {
        rows: u64,
    },
    /// Deleted locally, while its contacts changed at the service.
    ListChanged,
    /// The opt-out was deleted at the service.
    OptOutGone,
}

/// The reason for which the interface cannot do what the user wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "obstacle", rename_all = "snake_case")]
pub enum ChangeObstacle {
    /// The interface cannot clear a value.
    Clearing { fields: Vec<SyncField> },
    /// The numbers that identify a contact cannot be changed.
    Number { fields: Vec<SyncField> },
    /// The service does not have these fields.
    UnknownField { fields: Vec<SyncField> },
    /// No number identifies this contact and no other.
    NoKey,
    /// Another contact of the list has the number.
    KeyTaken { key: ContactKey },
    /// The interface cannot rename a list.
    Rename,
    /// The interface cannot change a short link.
    LinkEdit,
    /// A removal for the whole account would remove these too.
    OnlyAccountLevel { others: Vec<OptOutTarget> },
    /// The service does not name the asset, so a request cannot name its opt-out.
    UnnamedAsset,
    /// Open questions inside the list have to be answered first.
    ConflictsInside,
}

/// A change that no call can express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedChange {
    pub subject: PlanSubject,
    #[serde(flatten)]
    pub obstacle: ChangeObstacle,
    /// The possible choices, each with its price in calls.
    pub choices: Vec<(ChangeChoice, u64)>,
    pub list_choices: Vec<(ListChoice, u64)>,
    pub chosen: Option<ChangeChoice>,
}

/// A record that breaks a rule of the service and is not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuarantinedContact {
    pub id: i64,
    pub list: i64,
    pub faults: Vec<RuleViolation>,
}

/// A notice to the user about a record that was settled or left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "told", rename_all = "snake_case")]
pub enum PlanNotice {
    Merge {
        note: MergeNote,
    },
    /// The contact opted out again after the removal was requested.
    RemovalCancelled,
    /// The removal has no evidence, so the opt-out stays.
    NoEvidence,
    Held,
    /// An earlier step with the same number is not verified yet.
    Waiting,
}

/// A local record that takes over the identifier of an existing one, because the user deleted that one and created it
/// again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAdoption {
    pub id: i64,
    pub uid: String,
    /// The local id of the deleted record.
    pub of: i64,
}

/// The kind of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "PlanGateKind"))]
pub enum GateKind {
    ManyDeletions,
    ListDeletion,
    SenderDeletion,
    OptOutRemoval,
}

/// A confirmation that the user has to type before the run may start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunGate {
    pub gate: GateKind,
    pub list: Option<i64>,
    pub step: Option<u32>,
    pub wanted: String,
}

/// Another way to the same result, at another price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListAlternative {
    pub list: i64,
    pub choice: ListChoice,
    pub calls: u64,
    pub instead_of: u64,
}

/// A complete plan: the steps, and everything that the user has to know or decide.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncPlan {
    /// The digest of the input. The plan is stale once the input has another digest.
    pub input: Digest,
    /// The steps, in an order in which they could be done one after the other. A plan can be stored without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    pub conflicts: Vec<PlanConflict>,
    pub blocked: Vec<BlockedChange>,
    pub quarantine: Vec<QuarantinedContact>,
    pub notes: Vec<(PlanSubject, PlanNotice)>,
    pub adoptions: Vec<RecordAdoption>,
    pub gates: Vec<RunGate>,
    pub alternatives: Vec<ListAlternative>,
    pub cost: PlanCost,
}

impl SyncPlan {
    pub(crate) fn push_step(&mut self, kind: StepKind, after: Vec<u32>) -> u32 {
        let id = self.steps.len() as u32;
        self.steps.push(PlanStep::new(id, kind, after));
        id
    }

    pub(super) fn add_notice(&mut self, subject: PlanSubject, notice: PlanNotice) {
        self.notes.push((subject, notice));
    }

    pub fn digest(&self) -> Digest {
        crate::audit::digest_json(self)
    }

    /// Returns whether there is nothing to send and nothing to ask.
    pub fn has_no_work(&self) -> bool {
        self.steps.is_empty() && self.conflicts.is_empty() && self.blocked.is_empty() && self.quarantine.is_empty()
    }
}
