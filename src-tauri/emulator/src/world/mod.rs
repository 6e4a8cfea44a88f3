//! A world: its account, settings, lanes, journal and work. Worlds share only the process.

mod advance;
mod clock;
mod expiry;
mod flight;
mod host;
mod id;
mod life;
mod make;
mod protection;
mod reset;
mod snapshot;
mod state;
mod worlds;

use std::sync::{
    Arc, OnceLock, PoisonError, RwLock,
    atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
};

use roost_ops::{Core, Image, Subscription, ctx::IdStream};
use tokio::sync::{Mutex, Semaphore};

pub use self::{
    advance::{Far, NotAdvanced, advance},
    clock::{Beginning, Ticker},
    expiry::expire,
    flight::{Flight, Pass},
    host::{Ground, Host, StartOptions, Working},
    id::{NAME_PATTERN, WorldId, WorldPrefix, is_name},
    life::{Held, Life},
    make::{From, NotMade, Wish, make, remove},
    protection::{KeptCopy, count_removed_opt_outs},
    reset::{Keep, Mode, NotReset, Replacement, Reset, bring_back, replace, reset, take_over},
    snapshot::{NotKept, NotTaken, Snapshot, Snapshots},
    state::{
        ControlState, Head, Keeper, MAGIC as WORLD_MAGIC, NotRead, Place, WorldFile, WorldState,
        written::{bytes as written_bytes, pairs as written_pairs},
    },
    worlds::{Named, NoWorld, NotAdded, Worlds},
};
use crate::{
    access::Lanes,
    door::{
        Cache, State,
        bounds::{TooManyWaits, Wait},
    },
    faults::{Faults, Now},
    hooks::Hooks,
    journal::Journal,
    settings::Settings,
    work::Pump,
};

pub struct World {
    pub id: WorldId,
    /// The address of the world: the server's, with the world's own path for a created world.
    pub base: String,
    /// Keys that name the world.
    pub keys: Vec<String>,
    pub core: Core,
    pub ground: Arc<Ground>,
    pub lanes: Lanes,
    pub faults: Faults,
    pub cache: Cache,
    pub journal: Journal,
    pub pump: Pump,
    pub hooks: Hooks,
    pub flight: Flight,
    /// How many of the world's requests may wait on purpose.
    waits: Arc<Semaphore>,
    pub snapshots: Snapshots,
    pub account: Account,
    /// Whether a seed filled the account.
    from_seed: AtomicBool,
    pub life: Life,
    pub ticker: Ticker,
    /// The time and the IDs to which a reset returns.
    beginning: RwLock<Beginning>,
    /// The image to which a reset returns, if there is one.
    seed: RwLock<Option<Image>>,
    /// Permits one reset, restore or change of the seed at a time.
    turn: Mutex<()>,
    requests: AtomicU64,
    rules: RwLock<Arc<Rules>>,
    settings_epoch: AtomicU64,
    settings_at_start: Settings,
    heard: OnceLock<Subscription>,
    /// The last undo step of the account before this epoch.
    first_step: AtomicI64,
    /// Stores the state; none for a world that ends with its server.
    keeper: OnceLock<Arc<Keeper>>,
}

/// The owner of the account that a world uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Account {
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
pub struct Rules {
    pub settings: Settings,
    pub epoch: u64,
    /// A short URL is this, a slash and the code.
    pub short_base: String,
    /// The decoded segments of the path under which short URLs are served.
    pub short_path: Vec<String>,
}

/// The parts from which a world is built.
pub struct Parts {
    pub id: WorldId,
    pub base: String,
    pub keys: Vec<String>,
    pub core: Core,
    pub ground: Arc<Ground>,
    pub journal: Journal,
    pub account: Account,
    pub life: Life,
    pub seed: Option<Image>,
    pub settings: Settings,
}

impl World {
    pub fn new(parts: Parts) -> Arc<Self> {
        let rules = Rules::of(parts.settings.clone(), &parts.base, 0);
        let of_all_snapshots = parts.ground.snapshot_bytes.clone();
        let waits = parts.ground.room.world_waits();
        let world = Arc::new(Self {
            id: parts.id,
            base: parts.base,
            keys: parts.keys,
            ticker: Ticker::of(&parts.core),
            beginning: RwLock::new(Beginning::of(&parts.core)),
            core: parts.core,
            ground: parts.ground,
            lanes: Lanes::default(),
            faults: Faults::default(),
            cache: Cache::default(),
            journal: parts.journal,
            pump: Pump::default(),
            hooks: Hooks::default(),
            flight: Flight::default(),
            waits,
            snapshots: Snapshots::among(of_all_snapshots),
            account: parts.account,
            from_seed: AtomicBool::new(parts.account == Account::Kept { is_from_seed: true }),
            life: parts.life,
            seed: RwLock::new(parts.seed),
            turn: Mutex::default(),
            requests: AtomicU64::new(0),
            rules: RwLock::new(Arc::new(rules)),
            settings_epoch: AtomicU64::new(0),
            settings_at_start: parts.settings,
            heard: OnceLock::new(),
            first_step: AtomicI64::new(0),
            keeper: OnceLock::new(),
        });
        world.count_steps();
        let heard = Pump::listen(&world);
        // The world is new, so there is no earlier subscription.
        let _ = world.heard.set(heard);
        world
    }

    /// Sets the newest step as the last before this epoch, after the account was replaced.
    pub fn count_steps(&self) {
        self.first_step.store(self.core.last_step(), Ordering::Release);
    }

    pub fn first_step(&self) -> i64 {
        self.first_step.load(Ordering::Acquire)
    }

    pub fn is_default(&self) -> bool {
        self.id.as_str() == WorldId::DEFAULT
    }

    /// Arms the faults that the server was told at its start. What is armed besides stays.
    pub fn begin_faults(&self) {
        let StartOptions { profile, allows_prefer, .. } = self.ground.start;
        if profile.is_some() {
            // What is left to chance follows from the seed of the ids, and takes none of them.
            let core = self.core.with_id_stream(IdStream::Read(0));
            let seed = || u64::from_str_radix(&core.ctx().trace_id(), 16).unwrap_or(1) >> 32;
            self.faults.set_profile(profile, Now::of(&self.core), seed);
        }
        if allows_prefer {
            self.faults.set_options(|options| options.prefer = true);
        }
    }

    /// A request to the interface or to a short URL.
    pub fn count(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.ground.count();
    }

    /// Registers a request that waits on purpose, if the limit permits.
    pub fn wait(&self) -> Result<Wait, TooManyWaits> {
        self.ground.room.wait(&self.waits)
    }

    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub fn rules(&self) -> Arc<Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the settings; changes nothing if `change` fails.
    pub fn change_settings<E>(&self, change: impl FnOnce(&mut Settings) -> Result<(), E>) -> Result<Arc<Rules>, E> {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let mut settings = rules.settings.clone();
        change(&mut settings)?;
        if settings.rate() != rules.settings.rate() {
            self.lanes.refill();
        }
        let epoch = self.settings_epoch.fetch_add(1, Ordering::AcqRel) + 1;
        *rules = Arc::new(Rules::of(settings, &self.base, epoch));
        Ok(rules.clone())
    }

    /// Returns the state for which a response read now is valid.
    pub fn state(&self, rules: &Rules) -> State {
        (self.core.generation(), rules.epoch)
    }

    /// Returns the image to which a reset returns.
    pub fn seed(&self) -> Option<Image> {
        self.seed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the time and the IDs to which a reset returns.
    pub fn beginning(&self) -> Beginning {
        *self.beginning.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_seed(&self, image: Image, beginning: Beginning) {
        *self.seed.write().unwrap_or_else(PoisonError::into_inner) = Some(image);
        *self.beginning.write().unwrap_or_else(PoisonError::into_inner) = beginning;
    }

    /// Returns the code if a path is a short URL of this world.
    pub fn short_code<'p>(&self, rules: &Rules, full: &'p roost_wire::RequestPath<'_>) -> Option<&'p str> {
        match full.segments_below(&rules.short_path) {
            Some([code]) => Some(code),
            _ => None,
        }
    }
}

impl Rules {
    fn of(settings: Settings, url: &str, epoch: u64) -> Self {
        let short_base = settings.short_base(url);
        let path = url::Url::parse(&short_base).map(|base| base.path().to_owned()).unwrap_or_default();
        let path = roost_wire::RequestPath::parse(&path);
        let short_path = path.segments().iter().map(|s| s.clone().into_owned()).collect();
        Self { settings, epoch, short_base, short_path }
    }
}
