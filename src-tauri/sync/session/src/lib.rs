//! Connects one open account with its service: the key, the client, and the work with it, for any front door.
//!
//! A session lives as long as its account is open. Work with the service runs on a thread of its own; everything else
//! answers at once. The session is ended before the account is closed, so that nothing writes into a closed account.

mod changes;
mod conflicts;
mod connection;
mod copy;
mod error;
mod key;
mod local_only;
mod plans;
mod runs;
mod sync_status;
mod titles;
mod types;
mod work;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use roost_ops::{Core, Error};
use roost_store::tables::sync::connection::{self as connection_table, ServiceConnection};
use roost_sync::{
    remote::Client,
    vault::{KeyringSource, Secret, SystemKeyrings},
};

use self::work::{ActiveWork, WorkRuntime};

pub use self::{changes::ChangeSelection, copy::separate_copy, error::SessionError, key::KEY_MAX, types::*};

/// The most lists with drafts that are named.
const MAX_LISTS_WITH_DRAFTS: u32 = 200;

/// The numbers of commits and decisions so far.
type StateVersion = (u64, u64);
type SessionResult<T> = Result<T, SessionError>;

/// A cheap handle to an account's work with its service.
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionInner>,
}

/// Called whenever something changed. It must be quick.
type ChangeListener = dyn Fn() + Send + Sync;

/// The parts that all handles of a session share.
struct SessionInner {
    core: Core,
    /// The account's file, or `None` for an account in memory.
    path: Option<PathBuf>,
    keyrings: Arc<dyn KeyringSource>,
    listener: Box<ChangeListener>,
    state: Mutex<SyncSessionState>,
    runtime: Mutex<WorkRuntime>,
    /// Increases with every decision, because decisions are not commits of the account.
    decisions: AtomicU64,
    is_connected: AtomicBool,
}

/// The changing state of a session.
#[derive(Default)]
struct SyncSessionState {
    /// The key exists in no other place of this program.
    key: Option<Secret>,
    client: Option<(ServiceConnection, Arc<Client>)>,
    work: Option<ActiveWork>,
    last_work: u64,
    ended: Option<EndedSyncWork>,
    failed: Option<SyncFailure>,
    keyring_works: bool,
    /// The costly counts, with the state of the account at that time.
    costly_counts: Option<sync_status::DatedCounts>,
    is_counting: bool,
    summary: Option<(StateVersion, ChangeFilter, ChangesSummary)>,
    disputes: Option<(StateVersion, Arc<conflicts::OpenConflicts>)>,
    settled: Option<Arc<conflicts::LastSettlement>>,
    run_steps: Option<Arc<runs::RunSteps>>,
    audit_check: runs::AuditCheck,
    is_ended: bool,
}

impl Session {
    /// Creates a session. `path` is the account's file, and `listener` is called whenever something changed.
    pub fn new(core: Core, path: Option<&Path>, listener: impl Fn() + Send + Sync + 'static) -> Self {
        Self::with_keyrings(core, path, Arc::new(SystemKeyrings), listener)
    }

    /// Creates a session with other keyrings than the system's.
    pub fn with_keyrings(
        core: Core,
        path: Option<&Path>,
        keyrings: Arc<dyn KeyringSource>,
        listener: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        if let Some(path) = path
            && let Err(why) = copy::detect_copy(&core, path)
        {
            tracing::warn!(%why, "whether the account is a copy could not be found out");
        }
        let is_connected = core.read(|tx| Ok(connection_table::get(tx)?)).is_ok_and(|known| known.is_some());
        let inner = SessionInner {
            core,
            path: path.map(Path::to_owned),
            keyrings,
            listener: Box::new(listener),
            state: Mutex::default(),
            runtime: Mutex::default(),
            decisions: AtomicU64::new(0),
            is_connected: AtomicBool::new(is_connected),
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn core(&self) -> &Core {
        &self.inner.core
    }

    /// Returns the local id of a list.
    pub fn list_id(&self, uid: &str) -> SessionResult<i64> {
        let found = self.read(|tx| Ok(roost_store::tables::sync::screens::find_list(tx, uid)?))?;
        found.ok_or(SessionError::Unknown)
    }

    fn read<T>(&self, f: impl FnOnce(&roost_store::tx::ReadTx) -> Result<T, Error>) -> SessionResult<T> {
        Ok(self.inner.core.read(f)?)
    }

    /// Every write leaves the value complete, so a lock that a panicking thread held is still sound.
    fn state(&self) -> MutexGuard<'_, SyncSessionState> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the account was last seen connected, without reading anything.
    pub fn is_connected(&self) -> bool {
        self.inner.is_connected.load(Ordering::Acquire)
    }

    /// Announces a change that is not a commit.
    fn announce_change(&self) {
        self.inner.decisions.fetch_add(1, Ordering::AcqRel);
        (self.inner.listener)();
    }

    /// Returns a value that differs from every earlier one whenever an answer may differ.
    fn state_version(&self) -> StateVersion {
        (self.inner.core.generation(), self.inner.decisions.load(Ordering::Acquire))
    }
}
