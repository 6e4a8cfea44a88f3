//! Defines the parts of a plan.

use roost_model::{channel::Channel, contact::MergeType};
use serde::{Deserialize, Serialize};

use super::{
    check::Fault,
    cost::Cost,
    lane::{Lane, Stage},
};
use crate::{
    audit::Digest,
    input::{Choice, ListChoice, Reach},
    merge::{Fork, Note},
    row::{Field, Key, Row},
};

/// The rule for sending a request of unknown fate again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// A second request changes nothing more.
    Blindly,
    /// A read comes first, and only what it does not find is sent again.
    AfterReading,
}

/// A contact in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenItem", into = "WrittenItem")]
pub struct Item {
    pub id: i64,
    /// The body: the number that identifies the contact and the changed values, or all values of a new contact.
    pub send: Row,
    /// The fields that are sent as null.
    pub clear: Vec<Field>,
    /// The contact as the service has it now.
    pub before: Option<Row>,
    /// The contact as the service is to have it.
    pub expect: Row,
}

/// The stored form of an item, which leaves `expect` out if it equals `send`.
#[derive(Serialize, Deserialize)]
struct WrittenItem {
    id: i64,
    send: Row,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clear: Vec<Field>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Row>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<Row>,
}

impl From<WrittenItem> for Item {
    fn from(WrittenItem { id, send, clear, before, expect }: WrittenItem) -> Self {
        let expect = expect.unwrap_or_else(|| send.clone());
        Self { id, send, clear, before, expect }
    }
}

impl From<Item> for WrittenItem {
    fn from(Item { id, send, clear, before, expect }: Item) -> Self {
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
        items: Vec<Item>,
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
        before: Row,
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

    pub fn stage(&self) -> Stage {
        match self {
            Self::OptOutCreate { .. } => Stage::OptOutCreate,
            Self::ListCreate { .. } => Stage::ListCreate,
            Self::LinkCreate { .. } | Self::LinkDelete { .. } | Self::SenderDelete { .. } => Stage::Single,
            Self::Contacts { .. } | Self::Upload { .. } => Stage::Bulk,
            Self::ContactDelete { .. } => Stage::Delete,
            Self::ListDelete { .. } => Stage::ListDelete,
            Self::OptOutDelete { .. } => Stage::OptOutDelete,
        }
    }

    /// Returns the number of contacts or phone numbers in the step, or 1 for any other kind.
    pub fn rows(&self) -> usize {
        match self {
            Self::Contacts { items, .. } => items.len(),
            Self::Upload { count, .. } => usize::try_from(*count).unwrap_or(usize::MAX),
            Self::OptOutDelete { numbers, .. } => numbers.len(),
            _ => 1,
        }
    }

    pub fn repeat(&self) -> Repeat {
        match self {
            Self::OptOutCreate { .. } | Self::ListCreate { .. } | Self::LinkCreate { .. } => Repeat::AfterReading,
            Self::Contacts { merge: MergeType::AllowDuplicates, .. } => Repeat::AfterReading,
            Self::Contacts { merge: MergeType::SkipDuplicates, items, .. } => {
                // The service recognises duplicates by phone number alone.
                let safe = items.iter().all(|item| item.send.get(Field::Phone).is_some());
                if safe { Repeat::Blindly } else { Repeat::AfterReading }
            }
            Self::Upload { .. } => Repeat::AfterReading,
            Self::Contacts { .. }
            | Self::LinkDelete { .. }
            | Self::SenderDelete { .. }
            | Self::ContactDelete { .. }
            | Self::ListDelete { .. }
            | Self::OptOutDelete { .. } => Repeat::Blindly,
        }
    }
}

/// A planned request of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Serialised as `step`, because the flattened kind may have an `id` too.
    #[serde(rename = "step")]
    pub id: u32,
    pub lane: Lane,
    pub stage: Stage,
    /// The steps that must be verified first, in addition to those that the stage waits for.
    pub after: Vec<u32>,
    pub repeat: Repeat,
    #[serde(flatten)]
    pub kind: StepKind,
}

impl Step {
    pub fn new(id: u32, kind: StepKind, after: Vec<u32>) -> Self {
        Self { id, lane: kind.lane(), stage: kind.stage(), after, repeat: kind.repeat(), kind }
    }
}

/// The record that a line of the plan concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "noun", rename_all = "snake_case")]
pub enum Subject {
    Contact { id: i64, list: i64 },
    List { id: i64 },
    OptOut { number: String, channel: Channel, reach: Reach },
    Link { id: i64 },
    Sender { uid: String },
}

/// A question to the user that holds back its record and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub subject: Subject,
    #[serde(flatten)]
    pub disputed: Disputed,
}

/// The kind of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "dispute", rename_all = "snake_case")]
pub enum Disputed {
    Fields {
        forks: Vec<Fork>,
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
pub enum Obstacle {
    /// The interface cannot clear a value.
    Clearing { fields: Vec<Field> },
    /// The numbers that identify a contact cannot be changed.
    Number { fields: Vec<Field> },
    /// The service does not have these fields.
    UnknownField { fields: Vec<Field> },
    /// No number identifies this contact and no other.
    NoKey,
    /// Another contact of the list has the number.
    KeyTaken { key: Key },
    /// The interface cannot rename a list.
    Rename,
    /// The interface cannot change a short link.
    LinkEdit,
    /// A removal for the whole account would remove these too.
    OnlyAccountLevel { others: Vec<Reach> },
    /// The service does not name the asset, so a request cannot name its opt-out.
    UnnamedAsset,
    /// Open questions inside the list have to be answered first.
    ConflictsInside,
}

/// A change that no call can express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    pub subject: Subject,
    #[serde(flatten)]
    pub obstacle: Obstacle,
    /// The possible choices, each with its price in calls.
    pub choices: Vec<(Choice, u64)>,
    pub list_choices: Vec<(ListChoice, u64)>,
    pub chosen: Option<Choice>,
}

/// A record that breaks a rule of the service and is not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantined {
    pub id: i64,
    pub list: i64,
    pub faults: Vec<Fault>,
}

/// A notice to the user about a record that was settled or left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "told", rename_all = "snake_case")]
pub enum Told {
    Merge {
        note: Note,
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
pub struct Adoption {
    pub id: i64,
    pub uid: String,
    /// The local id of the deleted record.
    pub of: i64,
}

/// The kind of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    ManyDeletions,
    ListDeletion,
    SenderDeletion,
    OptOutRemoval,
}

/// A confirmation that the user has to type before the run may start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    pub gate: GateKind,
    pub list: Option<i64>,
    pub step: Option<u32>,
    pub wanted: String,
}

/// Another way to the same result, at another price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    pub list: i64,
    pub choice: ListChoice,
    pub calls: u64,
    pub instead_of: u64,
}

/// A complete plan: the steps, and everything that the user has to know or decide.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The digest of the input. The plan is stale once the input has another digest.
    pub input: Digest,
    /// The steps, in an order in which they could be done one after the other. A plan can be stored without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    pub conflicts: Vec<Conflict>,
    pub blocked: Vec<Blocked>,
    pub quarantine: Vec<Quarantined>,
    pub notes: Vec<(Subject, Told)>,
    pub adoptions: Vec<Adoption>,
    pub gates: Vec<Gate>,
    pub alternatives: Vec<Alternative>,
    pub cost: Cost,
}

impl Plan {
    pub(crate) fn push(&mut self, kind: StepKind, after: Vec<u32>) -> u32 {
        let id = self.steps.len() as u32;
        self.steps.push(Step::new(id, kind, after));
        id
    }

    pub(super) fn tell(&mut self, subject: Subject, told: Told) {
        self.notes.push((subject, told));
    }

    pub fn digest(&self) -> Digest {
        crate::audit::digest(self)
    }

    /// Returns whether there is nothing to send and nothing to ask.
    pub fn is_quiet(&self) -> bool {
        self.steps.is_empty() && self.conflicts.is_empty() && self.blocked.is_empty() && self.quarantine.is_empty()
    }
}
