//! Connects one open account with its service: the key, the client, and the work with it, for any front door.
//!
//! A session lives as long as its account is open. Work with the service runs on a thread of its own; everything else
//! answers at once. The session is ended before the account is closed, so that nothing writes into a closed account.

mod changes;
mod conflicts;
mod connection;
mod copy;
mod here_alone;
mod key;
mod plans;
mod refusal;
mod runs;
mod shown;
mod standing;
mod titles;
mod work;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use roost_ops::{Core, Error};
use roost_store::tables::sync::connection::{self as kept, Connection as Known};

use self::work::{Runtime, Working};
use crate::{
    remote::Client,
    vault::{Keyrings, Secret, SystemKeyrings},
};

pub use self::{changes::Picked, copy::set_apart, key::KEY_MAX, refusal::Refusal, shown::*};

/// The numbers of commits and decisions so far.
type Moment = (u64, u64);
type Answer<T> = Result<T, Refusal>;

/// A cheap handle to an account's work with its service.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

/// Called whenever something changed. It must be quick.
type Listener = dyn Fn() + Send + Sync;

/// The parts that all handles of a session share.
struct Inner {
    core: Core,
    /// The account's file, or `None` for an account in memory.
    path: Option<PathBuf>,
    keyrings: Arc<dyn Keyrings>,
    listener: Box<Listener>,
    state: Mutex<State>,
    runtime: Mutex<Runtime>,
    /// Increases with every decision, because decisions are no commits of the account.
    decisions: AtomicU64,
    is_connected: AtomicBool,
}

/// The changing state of a session.
#[derive(Default)]
struct State {
    /// The key exists in no other place of this program.
    key: Option<Secret>,
    client: Option<(Known, Arc<Client>)>,
    work: Option<Working>,
    last_work: u64,
    ended: Option<SyncEnded>,
    failed: Option<SyncFailed>,
    keyring_works: bool,
    /// The costly counts, with the state of the account at that time.
    dear: Option<standing::DearAt>,
    is_looking: bool,
    summary: Option<(Moment, ChangeFilter, ChangesSummary)>,
    disputes: Option<(Moment, Arc<conflicts::Disputes>)>,
    settled: Option<Arc<conflicts::Settlement>>,
    described: Option<Arc<runs::Described>>,
    checked: runs::Checked,
    is_ended: bool,
}

impl Session {
    /// Creates a session. `path` is the account's file, and `listener` is called whenever something changed.
    pub fn new(core: Core, path: Option<&Path>, listener: impl Fn() + Send + Sync + 'static) -> Self {
        Self::with(core, path, Arc::new(SystemKeyrings), listener)
    }

    /// Creates a session with other keyrings than the system's.
    pub fn with(
        core: Core,
        path: Option<&Path>,
        keyrings: Arc<dyn Keyrings>,
        listener: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        if let Some(path) = path
            && let Err(why) = copy::look(&core, path)
        {
            tracing::warn!(%why, "whether the account is a copy could not be found out");
        }
        let is_connected = core.read(|tx| Ok(kept::get(tx)?)).is_ok_and(|known| known.is_some());
        let inner = Inner {
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
    pub fn list_id(&self, uid: &str) -> Answer<i64> {
        let found = self.read(|tx| Ok(roost_store::tables::sync::screens::list_of_uid(tx, uid)?))?;
        found.ok_or(Refusal::Unknown)
    }

    fn read<T>(&self, f: impl FnOnce(&roost_store::tx::ReadTx) -> Result<T, Error>) -> Answer<T> {
        Ok(self.inner.core.read(f)?)
    }

    /// Every write leaves the value complete, so a lock that a panicking thread held is still sound.
    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the account was last seen connected, without reading anything.
    pub fn is_connected(&self) -> bool {
        self.inner.is_connected.load(Ordering::Acquire)
    }

    /// Announces a change that is no commit.
    fn moved(&self) {
        self.inner.decisions.fetch_add(1, Ordering::AcqRel);
        (self.inner.listener)();
    }

    /// Returns a value that differs from every earlier one whenever an answer may differ.
    fn moment(&self) -> Moment {
        (self.inner.core.generation(), self.inner.decisions.load(Ordering::Acquire))
    }
}
