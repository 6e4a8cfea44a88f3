//! Defines what the UI receives about the status of the sync and the work in progress.

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RunState, SyncNoun};
pub use roost_sync::pull::GoneList;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SyncKind {
    Pull,
    Run,
    Probe,
}

/// The work in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncWork {
    pub id: u64,
    pub kind: SyncKind,
    /// The kind of records that the work is at, or `null` for all kinds.
    pub place: Option<SyncNoun>,
    /// The name of the list that the work is at, or an empty text.
    pub what: String,
    pub page: u32,
    pub pages: Option<u32>,
    /// The number of contacts read or sent so far.
    pub rows: u64,
    pub rows_total: Option<u64>,
    pub started_at: Timestamp,
    pub elapsed_ms: u64,
    /// Whether the work was asked to end and has not ended yet.
    pub is_ending: bool,
    /// The retry of a failed read, if one is in progress.
    pub retry: Option<SyncRetry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncRetry {
    /// The number of the retry, from 1.
    pub number: u32,
    /// The status of the failed response, if there was one.
    pub status: Option<u16>,
}

/// The piece of work that ended last since the account was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EndedSyncWork {
    pub id: u64,
    pub kind: SyncKind,
    /// The run, if the work was one.
    pub run: Option<i64>,
    /// Whether it was stopped before it was done, or failed.
    pub is_cut_short: bool,
}

/// The kind of a failure, on which a page can act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SyncFailureKind {
    /// The service cannot be reached, or the connection broke.
    Unreachable,
    /// The service asks for fewer requests.
    Throttled,
    /// The service does not accept the key.
    KeyRefused,
    /// No key was entered.
    NoKey,
    /// The key is sealed, or its passphrase is wrong.
    Sealed,
    /// The keyring does not give the key.
    Keyring,
    /// Another window or program works with the service.
    Held,
    /// A confirmation has to be typed first.
    Gate,
    /// The key lacks a permission.
    NotPermitted,
    /// The interface does not answer at this address.
    WrongAddress,
    /// The service redirects to another address.
    Redirected,
    ReadOnly,
    Stale,
    /// A run has not ended yet.
    RunOpen,
    NotConnected,
    /// The service has none of the lists or senders that it had before.
    OtherAccount,
    /// The account has an error.
    Account,
    /// The service refused the request or failed for another reason.
    Other,
}

impl SyncFailureKind {
    /// Returns whether the failure may be over with another key, or with its passphrase.
    pub(crate) fn is_of_key(self) -> bool {
        matches!(self, Self::KeyRefused | Self::NoKey | Self::Sealed | Self::Keyring)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncFailure {
    pub kind: SyncFailureKind,
    pub message: String,
    pub advice: Option<String>,
    pub at: Timestamp,
    /// Whether the same request would always end the same way.
    pub is_permanent: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OpenRunStatus {
    pub id: i64,
    pub state: RunState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NewestPlanStatus {
    pub id: i64,
    pub is_stale: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncStatus {
    pub is_connected: bool,
    pub read_only: bool,
    /// Whether the key can be used without asking the user.
    pub is_key_ready: bool,
    /// When the last pull that read everything began.
    pub pulled_at: Option<Timestamp>,
    /// The number of records that differ from the agreed version, except those that stay local by choice.
    pub changes: u64,
    pub held: u64,
    pub conflicts: u64,
    /// The number of conflicts that are answered and wait for the next push or pull.
    pub answered: u64,
    /// The number of records that the service refused, and of those in failed steps of the last run that still differ.
    pub refused: u64,
    /// Whether the last pull left something open. Its summary says what.
    pub is_doubtful: bool,
    /// The run that has not ended.
    pub run: Option<OpenRunStatus>,
    /// The newest plan, unless its run has begun.
    pub plan: Option<NewestPlanStatus>,
    pub work: Option<SyncWork>,
    pub ended: Option<EndedSyncWork>,
    /// The failure of the last work, until the next begins.
    pub failed: Option<SyncFailure>,
}

/// The way in which a list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ListRead {
    /// The list looks unchanged. This was assumed, not read.
    AssumedUnchanged,
    /// The list was not read, because steps of a run wait to be verified in it.
    InUse,
    Whole,
    /// The list changed during the reading.
    Drifting,
    /// So many records are missing that the user is asked first.
    Shrunk,
}

impl ListRead {
    /// Returns whether something about the list stays open until it is pulled again.
    pub fn is_doubtful(self) -> bool {
        matches!(self, Self::Drifting | Self::Shrunk)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PulledList {
    pub uid: String,
    pub name: String,
    pub how: ListRead,
}

/// The number of records of one kind, other than contacts, that were added, changed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PulledCount {
    pub noun: SyncNoun,
    pub count: u64,
}

/// A contact that was deleted locally and restored by a pull.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RestoredContact {
    pub uid: String,
    /// Its name or, if it has none, its number.
    pub name: String,
    pub list: ScopeList,
}

/// The result of the last pull.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PullSummary {
    /// The time of the pull. If everything was read, it is the status's `pulled_at`.
    pub at: Timestamp,
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// The number of open conflicts after the pull, old and new.
    pub conflicts: u64,
    /// The local changes apart from contacts. Kinds without changes are left out.
    #[serde(alias = "beside")]
    pub other_changes: Vec<PulledCount>,
    /// The number of records of kinds that this Roost does not know. They are left alone.
    #[serde(alias = "aside")]
    pub unsupported: u64,
    pub lists: Vec<PulledList>,
    /// The kinds of records of which so many are missing that the user is asked first.
    pub doubtful: Vec<SyncNoun>,
    /// The number of records that would be removed locally; for lists, with their contacts.
    #[serde(default)]
    pub gone: Vec<PulledCount>,
    /// The kinds of which the service returned another number of records than it claims to have. None of them was
    /// removed locally.
    #[serde(default)]
    pub drifting: Vec<SyncNoun>,
    /// The number of opt-outs at the service that name no number and so cannot block one.
    #[serde(default)]
    pub unnamed: u64,
    /// The number of added contacts that had been deleted locally and were restored because the service's record was
    /// edited.
    #[serde(default)]
    pub brought_back: u64,
    /// The first of them.
    #[serde(default)]
    pub restored: Vec<RestoredContact>,
    /// The missing lists that were not removed locally, because the user is asked first.
    #[serde(default)]
    pub missing_lists: Vec<GoneList>,
    /// The titles of the missing short links that were not removed locally, because the user is asked first.
    #[serde(default)]
    pub missing_links: Vec<String>,
    /// The lists that were removed locally.
    #[serde(default)]
    pub removed_lists: Vec<GoneList>,
    /// The titles of the short links that were removed locally.
    #[serde(default)]
    pub removed_links: Vec<String>,
}

impl PullSummary {
    /// Returns whether something stays open until the next pull.
    pub fn is_doubtful(&self) -> bool {
        !self.doubtful.is_empty() || !self.drifting.is_empty() || self.lists.iter().any(|list| list.how.is_doubtful())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ScopeList {
    pub uid: String,
    pub name: String,
}

/// The last readings of a part of the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncScope {
    pub place: SyncNoun,
    pub list: Option<ScopeList>,
    pub total: Option<u64>,
    pub checked_at: Option<Timestamp>,
    pub full_at: Option<Timestamp>,
    /// The number of pages that an unfinished reading has read.
    pub page: u32,
}
