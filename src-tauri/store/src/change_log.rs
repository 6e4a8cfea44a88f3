//! The words of the change log: nouns, kinds of actors, actions, and the entry that says what changed. The actor is
//! stored beside it.

use serde::{Deserialize, Serialize};

/// A kind of thing that the change log, the change feed and the commands name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Noun {
    /// The account as a whole: its name, its colour, and which account is open.
    Account,
    Sender,
    Asset,
    CustomField,
    List,
    Contact,
    Job,
    Callback,
    OptOut,
    ShortLink,
    Click,
}

impl Noun {
    pub const ALL: [Self; 11] = [
        Self::Sender,
        Self::Asset,
        Self::CustomField,
        Self::List,
        Self::Contact,
        Self::Job,
        Self::Callback,
        Self::OptOut,
        Self::ShortLink,
        Self::Click,
        Self::Account,
    ];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|noun| noun.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Sender => "sender",
            Self::Asset => "asset",
            Self::CustomField => "custom_field",
            Self::List => "list",
            Self::Contact => "contact",
            Self::Job => "job",
            Self::Callback => "callback",
            Self::OptOut => "opt_out",
            Self::ShortLink => "short_link",
            Self::Click => "click",
        }
    }
}

/// The kind of actor that made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ActorKind {
    /// A person in the window or the console.
    User,
    Import,
    Sync,
    /// A caller of the REST interface.
    Interface,
    /// The operator's side of the emulator, which does what the service's own web application does.
    Operator,
    /// A job, which runs long after the request that queued it.
    Job,
}

impl ActorKind {
    pub const ALL: [Self; 6] = [Self::User, Self::Import, Self::Sync, Self::Interface, Self::Operator, Self::Job];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Returns whether a person made the change, also by an import. Only a person's changes can be undone.
    pub fn is_by_person(self) -> bool {
        matches!(self, Self::User | Self::Import)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Import => "import",
            Self::Sync => "sync",
            Self::Interface => "interface",
            Self::Operator => "operator",
            Self::Job => "job",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ChangeAction {
    Created,
    Updated,
    Deleted,
}

impl ChangeAction {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Created, Self::Updated, Self::Deleted].into_iter().find(|action| action.as_str() == text)
    }
}

/// An entry of the log. An act on many records writes one entry with their number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "UndoStepChange"))]
pub struct ChangeLogEntry {
    pub noun: Noun,
    pub action: ChangeAction,
    pub uid: Option<String>,
    pub count: u64,
}

impl ChangeLogEntry {
    pub fn single(noun: Noun, action: ChangeAction, uid: impl ToString) -> Self {
        Self { noun, action, uid: Some(uid.to_string()), count: 1 }
    }

    /// Describes many changed records that belong together, such as the contacts of the list `uid`.
    pub fn many(noun: Noun, action: ChangeAction, uid: impl ToString, count: u64) -> Self {
        Self { noun, action, uid: Some(uid.to_string()), count }
    }

    /// Describes many changed records that have no common owner.
    pub fn bulk(noun: Noun, action: ChangeAction, count: u64) -> Self {
        Self { noun, action, uid: None, count }
    }
}
