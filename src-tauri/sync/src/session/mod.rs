//! One open account and its service: the key, the client, and the work with it, behind whoever asks.
//!
//! A session lives as long as its account is open. Whatever talks to the service runs on a thread of its own; all else
//! answers at once. It is ended before the account is let go of, so that nothing writes into one that was.

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

/// Commits and decisions so far.
type Moment = (u64, u64);
type Answer<T> = Result<T, Refusal>;

/// A cheap handle of an account's dealings with its service.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

/// Is told that something moved; must be quick.
type Listener = dyn Fn() + Send + Sync;

struct Inner {
    core: Core,
    /// The account's file; none for one in memory.
    path: Option<PathBuf>,
    keyrings: Arc<dyn Keyrings>,
    listener: Box<Listener>,
    state: Mutex<State>,
    runtime: Mutex<Runtime>,
    /// Grows with every decision, which no commit of the account tells of.
    decisions: AtomicU64,
    is_connected: AtomicBool,
}

#[derive(Default)]
struct State {
    /// In no other place of this program.
    key: Option<Secret>,
    client: Option<(Known, Arc<Client>)>,
    work: Option<Working>,
    last_work: u64,
    ended: Option<SyncEnded>,
    failed: Option<SyncFailed>,
    keyring_works: bool,
    /// What was looked at, and when in the account's life.
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
    /// `path` is the account's file. `listener` hears when something moved.
    pub fn new(core: Core, path: Option<&Path>, listener: impl Fn() + Send + Sync + 'static) -> Self {
        Self::with(core, path, Arc::new(SystemKeyrings), listener)
    }

    /// The same with keyrings of another's.
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

    /// The number here of a list.
    pub fn list_id(&self, uid: &str) -> Answer<i64> {
        let found = self.read(|tx| Ok(roost_store::tables::sync::screens::list_of_uid(tx, uid)?))?;
        found.ok_or(Refusal::Unknown)
    }

    fn read<T>(&self, f: impl FnOnce(&roost_store::tx::ReadTx) -> Result<T, Error>) -> Answer<T> {
        Ok(self.inner.core.read(f)?)
    }

    /// Nobody leaves it half changed, so one held by a thread that panicked is sound.
    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the account belongs to a service, as far as was last seen; asks nobody.
    pub fn is_connected(&self) -> bool {
        self.inner.is_connected.load(Ordering::Acquire)
    }

    /// Something moved that no commit tells of.
    fn moved(&self) {
        self.inner.decisions.fetch_add(1, Ordering::AcqRel);
        (self.inner.listener)();
    }

    /// Differs from any earlier one whenever an answer may be another.
    fn moment(&self) -> Moment {
        (self.inner.core.generation(), self.inner.decisions.load(Ordering::Acquire))
    }
}
