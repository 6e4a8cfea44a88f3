//! The change log records which nouns changed, how they changed and who changed them.

use roost_model::time::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::{
    error::Result,
    tables::parse_stored,
    tx::{ReadTx, WriteTx},
};

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
        Self::ALL.into_iter().find(|source| source.as_str() == text)
    }

    /// Returns whether a person made the change. Only a person's changes can be undone.
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

    fn parse(text: &str) -> Option<Self> {
        [Self::Created, Self::Updated, Self::Deleted].into_iter().find(|action| action.as_str() == text)
    }
}

/// One line of the log. A bulk act writes one line with its count.
#[derive(Debug, Clone, PartialEq, Eq)]
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

    pub fn many(noun: Noun, action: ChangeAction, of: impl ToString, count: u64) -> Self {
        Self { noun, action, uid: Some(of.to_string()), count }
    }

    /// Describes many changed records that belong to no single thing.
    pub fn bulk(noun: Noun, action: ChangeAction, count: u64) -> Self {
        Self { noun, action, uid: None, count }
    }
}

/// Lines that a database in memory keeps. A file keeps all of them.
pub(crate) const LINES_IN_MEMORY: i64 = 10_000;

/// Writes the collected changes and returns the number of the last line.
pub(crate) fn append_changes(
    tx: &WriteTx,
    at: Timestamp,
    source: ActorKind,
    changes: &[ChangeLogEntry],
    keep_all: bool,
) -> Result<i64> {
    let mut insert = tx.conn().prepare_cached(
        "INSERT INTO changes (at, source, noun, action, uid, count, step) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut seq = 0;
    for change in changes {
        insert.execute(params![
            at.unix(),
            source.as_str(),
            change.noun.as_str(),
            change.action.as_str(),
            change.uid,
            change.count as i64,
            tx.step()
        ])?;
        seq = tx.conn().last_insert_rowid();
    }
    if !keep_all && seq % 1_000 < changes.len() as i64 {
        tx.conn().prepare_cached("DELETE FROM changes WHERE seq < ?1")?.execute([seq - LINES_IN_MEMORY])?;
    }
    Ok(seq)
}

/// Returns the number of the last line, or 0 when the log is empty.
pub fn last_seq(tx: &ReadTx) -> Result<i64> {
    Ok(tx.conn().prepare_cached("SELECT coalesce(max(seq), 0) FROM changes")?.query_row([], |row| row.get(0))?)
}

/// Returns the changes of a step in the order in which they were recorded.
pub fn read_step_changes(tx: &ReadTx, step: i64) -> Result<Vec<ChangeLogEntry>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT noun, action, uid, count FROM changes WHERE step = ?1 ORDER BY seq")?;
    let rows = statement.query_map([step], |row| {
        let (noun, action): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(ChangeLogEntry {
            noun: parse_stored(0, Noun::parse(&noun), &noun)?,
            action: parse_stored(1, ChangeAction::parse(&action), &action)?,
            uid: row.get(2)?,
            count: row.get::<_, i64>(3)? as u64,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
