//! What one running emulator knows: its account, its settings, its lanes, and the way over to the synchronous core.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicU64, Ordering},
};

use roost_ops::Core;
use roost_outbound::Outbound;
use roost_wire::Refusal;
use tokio::sync::watch;

use crate::{
    access::Lanes,
    cache::{Cache, State},
    console::Console,
    gate::Gate,
    settings::Settings,
    work::Wakes,
};

pub struct World {
    pub core: Core,
    /// `http://127.0.0.1:4010`
    pub url: String,
    pub gate: Gate,
    pub admin_token: String,
    pub lanes: Lanes,
    pub cache: Cache,
    pub outbound: Outbound,
    pub console: Option<Console>,
    pub wakes: Wakes,
    /// True from the moment the server ends.
    pub stopped: watch::Receiver<bool>,
    /// Whether other machines can reach it.
    pub is_reachable: bool,
    pub started: std::time::Instant,
    rules: RwLock<Arc<Rules>>,
    epoch: AtomicU64,
}

/// The settings in force, and what follows from them.
#[derive(Debug)]
pub struct Rules {
    pub settings: Settings,
    pub epoch: u64,
    /// Short URLs are this, a slash and the code.
    pub short_base: String,
    /// Where short URLs are served: the decoded segments of the base's path.
    pub short_path: Vec<String>,
}

/// What a world is made of.
pub struct Parts {
    pub core: Core,
    pub url: String,
    pub gate: Gate,
    pub admin_token: String,
    pub outbound: Outbound,
    pub console: Option<Console>,
    pub wakes: Wakes,
    pub stopped: watch::Receiver<bool>,
    pub is_reachable: bool,
    pub settings: Settings,
}

impl World {
    pub fn new(parts: Parts) -> Self {
        let rules = Rules::of(parts.settings, &parts.url, 0);
        Self {
            core: parts.core,
            url: parts.url,
            gate: parts.gate,
            admin_token: parts.admin_token,
            lanes: Lanes::default(),
            cache: Cache::default(),
            outbound: parts.outbound,
            console: parts.console,
            wakes: parts.wakes,
            stopped: parts.stopped,
            is_reachable: parts.is_reachable,
            started: std::time::Instant::now(),
            rules: RwLock::new(Arc::new(rules)),
            epoch: AtomicU64::new(0),
        }
    }

    pub fn rules(&self) -> Arc<Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the settings, or nothing when `change` fails.
    pub fn change_settings<E>(&self, change: impl FnOnce(&mut Settings) -> Result<(), E>) -> Result<Arc<Rules>, E> {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let mut settings = rules.settings.clone();
        change(&mut settings)?;
        if settings.per_second != rules.settings.per_second || settings.limits != rules.settings.limits {
            self.lanes.refill();
        }
        let epoch = self.epoch.fetch_add(1, Ordering::AcqRel) + 1;
        *rules = Arc::new(Rules::of(settings, &self.url, epoch));
        Ok(rules.clone())
    }

    /// The state an answer read now is true of.
    pub fn state(&self, rules: &Rules) -> State {
        (self.core.generation(), rules.epoch)
    }

    /// A short read: answered on the spot when nobody is in the way, because the hop would cost more than it.
    pub async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        if self.core.is_read_ready() { act(&self.core) } else { self.long(act).await }
    }

    /// A write or anything long: on a thread that may wait.
    pub async fn long<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let core = self.core.clone();
        match tokio::task::spawn_blocking(move || act(&core)).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "an act broke off");
                Err(Refusal::Internal)
            }
        }
    }
}

impl Rules {
    fn of(settings: Settings, url: &str, epoch: u64) -> Self {
        let short_base = settings.short_base(url);
        let path = url::Url::parse(&short_base).map(|base| base.path().to_owned()).unwrap_or_default();
        let path = roost_wire::Path::parse(&path);
        let short_path = path.segments().iter().map(|s| s.clone().into_owned()).collect();
        Self { settings, epoch, short_base, short_path }
    }
}
