//! Defines what the UI sends and receives about the sync: plain types without rules.

mod changes;
mod conflicts;
mod connection;
mod plan;
mod runs;
mod status;

use serde::{Deserialize, Serialize};

use roost_store::tables::sync::SyncedTable;

pub use roost_reconcile::{merge::ColumnRule, plan::GateKind, schedule::PlanStepState};
pub use roost_store::tables::{
    counts::recent::ListDrafts,
    sync::{connection::KeyLocation, runs::RunState, screens::unsent_records::UnsentKind},
};

pub use self::{changes::*, conflicts::*, connection::*, plan::*, runs::*, status::*};

/// A kind of record that can differ between the account and the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SyncNoun {
    OptOut,
    List,
    Contact,
    ShortLink,
    Sender,
}

impl SyncNoun {
    pub const ALL: [Self; 5] = [Self::OptOut, Self::List, Self::Contact, Self::ShortLink, Self::Sender];

    pub(crate) fn to_table(self) -> SyncedTable {
        match self {
            Self::OptOut => SyncedTable::OptOuts,
            Self::List => SyncedTable::Lists,
            Self::Contact => SyncedTable::Contacts,
            Self::ShortLink => SyncedTable::ShortLinks,
            Self::Sender => SyncedTable::Senders,
        }
    }

    pub(crate) fn from_table(place: SyncedTable) -> Self {
        match place {
            SyncedTable::OptOuts => Self::OptOut,
            SyncedTable::Lists => Self::List,
            SyncedTable::Contacts => Self::Contact,
            SyncedTable::ShortLinks => Self::ShortLink,
            SyncedTable::Senders => Self::Sender,
        }
    }
}

/// The key of a local record: its id as text, and for an opt-out its number, channel and scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RecordKey {
    pub noun: SyncNoun,
    pub id: String,
}

impl RecordKey {
    pub(crate) fn new(noun: SyncNoun, id: impl ToString) -> Self {
        Self { noun, id: id.to_string() }
    }

    /// Returns the id of a record that is identified by a number.
    pub(crate) fn numeric_id(&self) -> Option<i64> {
        self.id.parse().ok()
    }
}

/// A list with its id, identifier and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncList {
    pub id: i64,
    pub uid: String,
    pub name: String,
}

/// A value of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncValue {
    pub field: String,
    /// The label of a custom field, or the name of any other field.
    pub title: String,
    pub value: Option<String>,
}
