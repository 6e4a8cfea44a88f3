//! How here and the service stand to each other, and what goes on.

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::SyncNoun;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SyncKind {
    Pull,
    Run,
    Probe,
}

/// What works with the service right now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncWork {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    pub kind: SyncKind,
    /// What kind of records it is at; none: all of them.
    pub place: Option<SyncNoun>,
    /// The name of the list it is at, or nothing.
    pub what: String,
    pub page: u32,
    pub pages: Option<u32>,
    /// Contacts read or sent so far.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub rows_total: Option<u64>,
    pub started_at: Timestamp,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub elapsed_ms: u64,
    /// It was told to end and has not ended yet.
    pub is_ending: bool,
    /// What is read did not come, and is tried again.
    pub retry: Option<SyncRetry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncRetry {
    /// The first retry is 1.
    pub number: u32,
    /// What the service answered, if anything.
    pub status: Option<u16>,
}

/// The last piece of work that came to its end, as long as the account is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncEnded {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    pub kind: SyncKind,
    /// Which run it was.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub run: Option<i64>,
    /// It was stopped before it was done, or failed.
    pub is_cut_short: bool,
}

/// Why something did not work, as a page can act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SyncFailedKind {
    /// The service cannot be reached, or broke off.
    Unreachable,
    /// It asks for fewer requests.
    Throttled,
    /// It does not take the key.
    KeyRefused,
    /// There is no key.
    NoKey,
    /// The key is sealed, or its passphrase is wrong.
    Sealed,
    /// The keyring does not give the key.
    Keyring,
    /// Another window or program works with the service.
    Held,
    /// Something has to be typed first.
    Gate,
    /// The key may not do this.
    NotPermitted,
    /// Nothing like the interface answers at this address.
    WrongAddress,
    /// It points to another address.
    Redirected,
    ReadOnly,
    Stale,
    /// A run has not ended yet.
    RunOpen,
    NotConnected,
    /// A fault here.
    Account,
    /// It refused what was asked, or met a fault of its own.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncFailed {
    pub kind: SyncFailedKind,
    pub message: String,
    pub advice: Option<String>,
    pub at: Timestamp,
    /// The same once more would end the same way.
    pub is_permanent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RunState {
    Running,
    Paused,
    Cancelled,
    Done,
    InDoubt,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunStanding {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: i64,
    pub state: RunState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanStanding {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: i64,
    pub is_stale: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncStatus {
    pub is_connected: bool,
    pub read_only: bool,
    /// The key can be used without asking anybody.
    pub is_key_ready: bool,
    pub pulled_at: Option<Timestamp>,
    /// Records that differ from what both sides agreed on, but for those that a person chose to keep as they are here.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub changes: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub held: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub conflicts: u64,
    /// Questions that were answered and wait for the next push or pull.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub answered: u64,
    /// Records that the service refused, and those of the last run's failed steps that still differ.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub refused: u64,
    /// The last reading left something open: `SyncPulled` says what.
    pub is_doubtful: bool,
    /// The run that has not ended.
    pub run: Option<RunStanding>,
    /// The newest plan, unless it was begun.
    pub plan: Option<PlanStanding>,
    pub work: Option<SyncWork>,
    pub ended: Option<SyncEnded>,
    /// Of the last work, until the next begins.
    pub failed: Option<SyncFailed>,
}

/// How a list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ListRead {
    /// It looks as it did: assumed, not seen.
    AssumedUnchanged,
    /// Steps of a run wait to be verified in it.
    InUse,
    Whole,
    /// It changed while it was read.
    Drifting,
    /// So much is gone that a person is asked first.
    Shrunk,
}

impl ListRead {
    /// Whether something about the list is open until it is pulled again.
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

/// Records beside contacts that came, changed or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PulledBeside {
    pub noun: SyncNoun,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// What the last reading brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncPulled {
    pub at: Timestamp,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub added: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub changed: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub removed: u64,
    /// Questions that stand after it, old and new.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub conflicts: u64,
    /// What is another here beside contacts; kinds of which nothing is are left out.
    pub beside: Vec<PulledBeside>,
    /// Records of kinds that this Roost does not know; they are left alone.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub aside: u64,
    pub lists: Vec<PulledList>,
    /// So much of them is gone that a person is asked first.
    pub doubtful: Vec<SyncNoun>,
    /// How many records would be removed here if that were believed; of lists their contacts, too.
    #[serde(default)]
    pub gone: Vec<PulledBeside>,
    /// The service gave another number of them than it claims to have, so nothing of them was removed here.
    #[serde(default)]
    pub drifting: Vec<SyncNoun>,
    /// Opt-outs at the service that name no number, and so cannot block one.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub unnamed: u64,
    /// Contacts among the added ones that were deleted here and are back, because they were changed at the service.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub brought_back: u64,
    /// Names of the lists that were removed here.
    #[serde(default)]
    pub removed_lists: Vec<String>,
}

impl SyncPulled {
    /// Whether something is open until the next reading.
    pub fn is_doubtful(&self) -> bool {
        !self.doubtful.is_empty() || !self.drifting.is_empty() || self.lists.iter().any(|list| list.how.is_doubtful())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ScopeList {
    pub uid: String,
    pub name: String,
}

/// What is known of a part of the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncScope {
    pub place: SyncNoun,
    pub list: Option<ScopeList>,
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub total: Option<u64>,
    pub checked_at: Option<Timestamp>,
    pub full_at: Option<Timestamp>,
    /// Pages that a reading under way has behind it.
    pub page: u32,
}
