//! The emulator in this process: its own port, its own account, a clock that can stand still.

use std::{net::SocketAddr, ops::Deref, path::PathBuf};

use roost_emulator::{Emulator, EmulatorConfig, EmulatorHandle, Journal, StartError};
use roost_model::time::Timestamp;
use roost_ops::{Actor, Core, Ctx, ctx::Clock, job, overview, seed};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::{http::Client, wait::until};

/// What is done to the account before anybody asks.
type Before = Box<dyn FnOnce(&Core)>;

/// How a server is to be.
pub struct Setup {
    clock: Option<Timestamp>,
    file: Option<PathBuf>,
    seed: Option<Value>,
    before: Option<Before>,
    /// Every other option of the emulator.
    pub config: EmulatorConfig,
}

impl Default for Setup {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads a time as the interface writes it.
pub fn time(iso: &str) -> Timestamp {
    Timestamp::parse_iso(iso).unwrap_or_else(|| panic!("{iso} is not a time of the form 2026-01-05T09:00:00Z"))
}

impl Setup {
    /// In memory, on the system's clock, without limits.
    pub fn new() -> Self {
        Self { clock: None, file: None, seed: None, before: None, config: EmulatorConfig::default() }
            .set("limits", "off")
    }

    /// The clock stands still at this time.
    pub fn at(mut self, iso: &str) -> Self {
        self.clock = Some(time(iso));
        self
    }

    /// What is asked and answered is kept in the journal.
    pub fn recording(mut self) -> Self {
        self.config.journal = Journal::new_recording();
        self
    }

    /// Calls of the admin interface are in the journal as well.
    pub fn recording_admin(mut self) -> Self {
        self = self.recording();
        self.config.journal.set_admin_recording(true);
        self
    }

    /// A setting by its name.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.config.settings.set(name, value).unwrap_or_else(|error| panic!("{error}"));
        self
    }

    /// An account file, made when it is not there.
    pub fn on_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    pub fn seed(mut self, seed: Value) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Acts on the account before anything runs: no request is answered and no job done until it has ended.
    pub fn before(mut self, act: impl FnOnce(&Core) + 'static) -> Self {
        self.before = Some(Box::new(act));
        self
    }

    #[track_caller]
    pub fn serve(self) -> Served {
        self.try_serve().unwrap_or_else(|error| panic!("the emulator did not start: {error}"))
    }

    pub fn try_serve(self) -> Result<Served, StartError> {
        let ctx = match self.clock {
            Some(at) => Ctx::seeded(Clock::fixed(at), 7),
            None => Ctx::system(),
        };
        let core = match &self.file {
            Some(path) => Core::open(path, ctx),
            None => Core::in_memory(ctx),
        };
        let core = core.unwrap_or_else(|error| panic!("the account did not open: {error}"));
        if let Some(act) = self.before {
            act(&core);
        }
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let base = self.config.settings.short_link_base.clone();
        let handle = {
            let _inside = runtime.enter();
            Emulator::start(self.config, core.clone())?
        };
        let client = Client::new(handle.address());
        let served = Served { client, core, handle: Some(handle), runtime: Some(runtime) };
        if let Some(seed) = self.seed {
            let base = base.unwrap_or_else(|| format!("{}/s", served.url()));
            seed::apply(&served.core, &Actor::operator(), seed.to_string().as_bytes(), &base)
                .unwrap_or_else(|error| panic!("the seed is faulty: {error}"));
        }
        Ok(served)
    }
}

/// A running server and a client of it.
pub struct Served {
    client: Client,
    core: Core,
    handle: Option<EmulatorHandle>,
    runtime: Option<Runtime>,
}

impl Deref for Served {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Served {
    fn handle(&self) -> &EmulatorHandle {
        self.handle.as_ref().expect("BUG: stopped while in use")
    }

    pub fn url(&self) -> &str {
        self.handle().url()
    }

    pub fn address(&self) -> SocketAddr {
        self.handle().address()
    }

    pub fn token(&self) -> &str {
        self.handle().admin_token()
    }

    /// The authority it is to be trusted by, as PEM.
    pub fn ca(&self) -> &str {
        &self.handle().ca().expect("a server with an authority of its own").certificate
    }

    /// A client of the operator's routes.
    pub fn admin(&self) -> Client {
        self.client.with_token(self.token())
    }

    /// The account behind it.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Lets a clock that stands still go on.
    pub fn advance(&self, seconds: i64) {
        self.core.ctx().advance(seconds);
    }

    /// Waits until no job waits.
    #[track_caller]
    pub fn settle(&self) {
        until("no job waits", || {
            (overview::get(&self.core).expect("the account answers").jobs_waiting == 0).then_some(())
        });
    }

    /// Runs what waits here and now, whatever the server's own worker does.
    pub fn run_jobs(&self) {
        while job::run_next(&self.core).expect("a job can be run").is_some() {}
    }

    /// Ends it in good order, so that its file is free.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let (Some(handle), Some(runtime)) = (self.handle.take(), self.runtime.take()) {
            runtime.block_on(handle.shutdown());
            runtime.shutdown_background();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.handle.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
