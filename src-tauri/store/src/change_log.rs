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

roost_model::variant_names! {
    pub Noun {
        Sender = "sender", Asset = "asset", CustomField = "custom_field", List = "list", Contact = "contact",
        Job = "job", Callback = "callback", OptOut = "opt_out", ShortLink = "short_link", Click = "click",
        Account = "account",
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

roost_model::variant_names! {
    pub ActorKind {
        User = "user", Import = "import", Sync = "sync", Interface = "interface", Operator = "operator", Job = "job",
    }
}

impl ActorKind {
    /// Returns whether a person made the change, also by an import. Only a person's changes can be undone.
    pub fn is_by_person(self) -> bool {
        matches!(self, Self::User | Self::Import)
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

roost_model::variant_names! { pub ChangeAction { Created = "created", Updated = "updated", Deleted = "deleted" } }

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
