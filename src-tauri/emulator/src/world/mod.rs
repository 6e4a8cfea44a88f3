//! A world: its account, settings, lanes, journal and work. Worlds share only the process.

mod clock;
mod console;
mod contact_records;
mod epoch;
mod host;
mod lifetime;
mod snapshot;
mod state;
mod unfinished;
mod work_state;
mod worlds;

use std::{
    borrow::Cow,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
};

use roost_journal::Journal;
use roost_ops::{Core, Image, Subscription, ctx::IdStream};
use tokio::sync::{Mutex, Semaphore};

pub(crate) use self::{
    clock::{StartingPoint, Ticker},
    contact_records::{ContactRecords, KeptRecords},
    epoch::{EpochState, WorldPass},
    host::{Host, HostResources, TaskGuard},
    lifetime::{UseGuard, WorldLifetime},
    snapshot::{BackupError, SaveSnapshotError, Snapshot, Snapshots},
    state::{ControlState, KeepOptions, ReadWorldError, StateWriter, WorldFile, WorldHead, WorldState},
    unfinished::UnfinishedWorlds,
    work_state::{
        AttemptContext, AttemptDetails, CallbackContent, CallbackOrder, CallbackPolicy, CallbackSignature,
        CallbackTemplate, CallbacksState, CompletedWork, GiveUpReason, JobEvent, JobEventKind, JobHold, JobPolicy,
        JobProgress, JobTracker, JobTurn, JobsState, WorkScheduler,
    },
    worlds::{AddWorldError, KEYS_MOST, WorldNotFound, WorldReference, Worlds, make_key},
};
pub use self::{
    console::{Console, ConsoleAsset, ConsoleAssets, ConsoleDispatcher, ConsoleResponse},
    host::StartOptions,
    state::{StateLocation, WORLD_MAGIC},
    unfinished::{UnfinishedWork, UnfinishedWorld, UnfinishedWorldsSummary, WorkKind},
};

use crate::{
    access::{RateLanes, WorldId},
    faults::{FaultTime, Faults},
    hooks::{Hooks, ReceiverHome, ReceiverHomes, ReceiverHomesState},
    http::{
        CacheVersion, ResponseCache,
        bounds::{TooManyWaits, WaitPermit},
    },
    settings::Settings,
};

pub(crate) struct World {
    pub id: WorldId,
    /// The address of the world: the server's, with the world's own path for a created world.
    pub base: String,
    /// Keys that name the world.
    pub keys: Vec<String>,
    pub core: Core,
    pub resources: Arc<HostResources>,
    pub lanes: RateLanes,
    pub faults: Faults,
    pub cache: ResponseCache,
    pub contact_records: ContactRecords,
    pub journal: Journal,
    pub work: WorkScheduler,
    pub hooks: Hooks,
    pub receivers: ReceiverHomes,
    pub epoch: EpochState,
    /// How many of the world's requests may wait on purpose.
    waits: Arc<Semaphore>,
    pub snapshots: Snapshots,
    pub ownership: AccountOwnership,
    /// Whether a seed filled the account.
    from_seed: AtomicBool,
    pub lifetime: WorldLifetime,
    pub ticker: Ticker,
    /// The time and the IDs to which a reset returns.
    starting_point: RwLock<StartingPoint>,
    /// The image to which a reset returns, if there is one.
    seed: RwLock<Option<Image>>,
    /// Permits one reset, restore or change of the seed at a time.
    pub change_lock: Mutex<()>,
    requests: AtomicU64,
    active_settings: RwLock<Arc<ActiveSettings>>,
    settings_epoch: AtomicU64,
    pub settings_at_start: Settings,
    subscription: OnceLock<Subscription>,
    /// The last undo step of the account before this epoch.
    first_step: AtomicI64,
    /// Stores the state; none for a world that ends with its server.
    state_writer: OnceLock<Arc<StateWriter>>,
}

/// The owner of the account that a world uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccountOwnership {
    /// Created for this world and removed with it.
    #[default]
    Own,
    /// A file that remains. A reset returns only to a seed that was put. The contents are protected, unless the file
    /// was empty and a seed filled it.
    Kept { is_from_seed: bool },
    /// Used by others, so it is never replaced.
    Lent,
}

/// The settings in force, and values derived from them.
#[derive(Debug)]
pub(crate) struct ActiveSettings {
    pub settings: Settings,
    pub epoch: u64,
    /// A short URL is this, a slash and the code.
    pub short_base: String,
    /// The decoded segments of the path under which short URLs are served.
    pub short_path: Vec<String>,
}

/// The parts from which a world is built.
pub(crate) struct WorldParts {
    pub id: WorldId,
    pub base: String,
    pub keys: Vec<String>,
    pub core: Core,
    pub resources: Arc<HostResources>,
    pub journal: Journal,
    pub ownership: AccountOwnership,
    pub lifetime: WorldLifetime,
    pub seed: Option<Image>,
    pub settings: Settings,
}

impl World {
    /// Creates a world whose account is followed by what `subscribe` returns.
    pub(crate) fn new(parts: WorldParts, subscribe: impl FnOnce(&Arc<Self>) -> Subscription) -> Arc<Self> {
        let rules = ActiveSettings::from_settings(parts.settings.clone(), &parts.base, 0);
        let of_all_snapshots = parts.resources.snapshot_bytes.clone();
        let waits = parts.resources.capacity.new_world_waits();
        let world = Arc::new(Self {
            id: parts.id,
            base: parts.base,
            keys: parts.keys,
            ticker: Ticker::from_core(&parts.core),
            starting_point: RwLock::new(StartingPoint::from_core(&parts.core)),
            core: parts.core,
            resources: parts.resources,
            lanes: RateLanes::default(),
            faults: Faults::default(),
            cache: ResponseCache::default(),
            contact_records: ContactRecords::default(),
            journal: parts.journal,
            work: WorkScheduler::default(),
            hooks: Hooks::default(),
            receivers: ReceiverHomes::default(),
            epoch: EpochState::default(),
            waits,
            snapshots: Snapshots::with_shared_size(of_all_snapshots),
            ownership: parts.ownership,
            from_seed: AtomicBool::new(parts.ownership == AccountOwnership::Kept { is_from_seed: true }),
            lifetime: parts.lifetime,
            seed: RwLock::new(parts.seed),
            change_lock: Mutex::default(),
            requests: AtomicU64::new(0),
            active_settings: RwLock::new(Arc::new(rules)),
            settings_epoch: AtomicU64::new(0),
            settings_at_start: parts.settings,
            subscription: OnceLock::new(),
            first_step: AtomicI64::new(0),
            state_writer: OnceLock::new(),
        });
        world.mark_first_step();
        // The world is new, so there is no earlier subscription.
        let _ = world.subscription.set(subscribe(&world));
        world
    }

    /// Sets the newest step as the last before this epoch, after the account was replaced.
    pub(crate) fn mark_first_step(&self) {
        self.first_step.store(self.core.last_step(), Ordering::Release);
    }

    pub(crate) fn first_step(&self) -> i64 {
        self.first_step.load(Ordering::Acquire)
    }

    /// Whether the world does no further work.
    pub(crate) fn has_ended(&self) -> bool {
        self.resources.has_stopped() || self.epoch.is_removed()
    }

    pub(crate) fn set_from_seed(&self, is_from_seed: bool) {
        self.from_seed.store(is_from_seed, Ordering::Release);
    }

    pub(crate) fn is_from_seed(&self) -> bool {
        self.from_seed.load(Ordering::Acquire)
    }

    pub(crate) fn is_default(&self) -> bool {
        self.id.as_str() == WorldId::DEFAULT
    }

    /// Returns the addresses of the receivers of this world.
    pub(crate) fn receiver_home(&self) -> ReceiverHome {
        self.resources.receiver_home(&self.id)
    }

    /// Returns the address to which the callback of a job goes.
    pub(crate) fn callback_address<'u>(&self, job: i64, url: &'u str) -> Cow<'u, str> {
        self.receivers.current_address(&self.receiver_home(), job, url)
    }

    /// Arms the faults of the start options. Faults that are already armed stay.
    pub(crate) fn begin_faults(&self) {
        let StartOptions { profile, allows_prefer, .. } = self.resources.start;
        if profile.is_some() {
            // The seed of the profile follows from the seed of the IDs, without using up an ID.
            let core = self.core.with_id_stream(IdStream::Read(0));
            let seed = || u64::from_str_radix(&core.ctx().trace_id(), 16).unwrap_or(1) >> 32;
            self.faults.set_profile(profile, FaultTime::from_core(&self.core), seed);
        }
        if allows_prefer {
            self.faults.set_options(|options| options.prefer = true);
        }
    }

    /// A request to the interface or to a short URL.
    pub(crate) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.resources.count_request();
    }

    /// Registers a request that waits on purpose, if the limit permits.
    pub(crate) fn begin_wait(&self) -> Result<WaitPermit, TooManyWaits> {
        self.resources.capacity.begin_wait(&self.waits)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn active_settings(&self) -> Arc<ActiveSettings> {
        self.active_settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the settings; changes nothing if `change` fails.
    pub(crate) fn change_settings<E>(
        &self,
        change: impl FnOnce(&mut Settings) -> Result<(), E>,
    ) -> Result<Arc<ActiveSettings>, E> {
        let mut rules = self.active_settings.write().unwrap_or_else(PoisonError::into_inner);
        let mut settings = rules.settings.clone();
        change(&mut settings)?;
        if settings.rate_limit() != rules.settings.rate_limit() {
            self.lanes.refill();
        }
        let epoch = self.settings_epoch.fetch_add(1, Ordering::AcqRel) + 1;
        *rules = Arc::new(ActiveSettings::from_settings(settings, &self.base, epoch));
        Ok(rules.clone())
    }

    /// Returns the state for which a response read now is valid.
    pub(crate) fn response_state(&self, rules: &ActiveSettings) -> CacheVersion {
        (self.core.generation(), rules.epoch)
    }

    /// Returns the image to which a reset returns.
    pub(crate) fn seed(&self) -> Option<Image> {
        self.seed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the time and the IDs to which a reset returns.
    pub(crate) fn starting_point(&self) -> StartingPoint {
        *self.starting_point.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_seed(&self, image: Image, beginning: StartingPoint) {
        self.receivers.set_of_seed(ReceiverHomesState::default());
        *self.seed.write().unwrap_or_else(PoisonError::into_inner) = Some(image);
        *self.starting_point.write().unwrap_or_else(PoisonError::into_inner) = beginning;
    }

    /// Returns the code if a path is a short URL of this world.
    pub(crate) fn short_code<'p>(
        &self,
        rules: &ActiveSettings,
        full: &'p roost_wire::RequestPath<'_>,
    ) -> Option<&'p str> {
        match full.segments_below(&rules.short_path) {
            Some([code]) => Some(code),
            _ => None,
        }
    }
}

impl ActiveSettings {
    fn from_settings(settings: Settings, url: &str, epoch: u64) -> Self {
        let short_base = settings.short_link_base_at(url);
        let path = url::Url::parse(&short_base).map(|base| base.path().to_owned()).unwrap_or_default();
        let path = roost_wire::RequestPath::parse(&path);
        let short_path = path.segments().iter().map(|s| s.clone().into_owned()).collect();
        Self { settings, epoch, short_base, short_path }
    }
}
