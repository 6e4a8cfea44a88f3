//! The change log: which nouns changed, how, and who did it.

use roost_model::time::Timestamp;
use rusqlite::params;
use serde::Serialize;

use crate::{error::Result, tx::WriteTx};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Noun {
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
    pub fn as_str(self) -> &'static str {
        match self {
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

/// Who made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Source {
    /// A person in the window or the console.
    User,
    Import,
    Sync,
    /// A caller of the REST interface.
    Interface,
    /// The operator's side: what the service's own web application does.
    Operator,
    /// A job, long after its request.
    Job,
}

impl Source {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Created,
    Updated,
    Deleted,
}

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}

/// One line of the log. A bulk act is one line with its count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub noun: Noun,
    pub action: Action,
    pub uid: Option<String>,
    pub count: u64,
}

impl Change {
    pub fn one(noun: Noun, action: Action, uid: impl ToString) -> Self {
        Self { noun, action, uid: Some(uid.to_string()), count: 1 }
    }

    pub fn many(noun: Noun, action: Action, of: impl ToString, count: u64) -> Self {
        Self { noun, action, uid: Some(of.to_string()), count }
    }
}

/// Lines that a database in memory keeps; a file keeps all.
const KEPT_IN_MEMORY: i64 = 10_000;

/// Writes the collected changes; answers the last line's number.
pub(crate) fn append(tx: &WriteTx, at: Timestamp, source: Source, changes: &[Change], keep_all: bool) -> Result<i64> {
    let mut insert = tx
        .conn()
        .prepare_cached("INSERT INTO changes (at, source, noun, action, uid, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let mut seq = 0;
    for change in changes {
        insert.execute(params![
            at.unix(),
            source.as_str(),
            change.noun.as_str(),
            change.action.as_str(),
            change.uid,
            change.count as i64
        ])?;
        seq = tx.conn().last_insert_rowid();
    }
    if !keep_all && seq % 1_000 < changes.len() as i64 {
        tx.conn().prepare_cached("DELETE FROM changes WHERE seq < ?1")?.execute([seq - KEPT_IN_MEMORY])?;
    }
    Ok(seq)
}
