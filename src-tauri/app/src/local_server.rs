//! Runs the REST interface inside the app, on the open account or on a scratch world, and records its requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roost_emulator::{
    AccountOwnership, AuthSetting, EmulatorConfig, EmulatorHandle, Journal, ServerControl, Settings,
    SettingsChangeError, StandaloneEmulator, StartError, WorldHandle, free_port,
};
use roost_model::{
    error::{ErrorCode, FieldError},
    time::Timestamp,
};
use roost_ops::{Actor, ActorKind, Core, Ctx};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    changes::{AppChangeFeed, ChangeTopic},
    error::CommandError,
};

/// The port on which clients look for the service by default.
const DEFAULT_PORT: u16 = 4010;

/// The world of requests that name none.
pub(crate) const DEFAULT_WORLD: &str = "default";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum ServerWorld {
    Account,
    /// In memory. Its data is lost when the server stops.
    Scratch,
}

/// The initial data of a scratch world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScratchContents {
    Empty,
    Copy,
}

/// The request to start a server. It runs with the settings stored here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartOptions {
    /// 0 chooses a free port.
    pub port: u16,
    pub world: ServerWorld,
    pub begin: ScratchContents,
}

pub(crate) struct LocalServer {
    journal: Journal,
    hub: Arc<AppChangeFeed>,
    /// Held while a server is started or stopped, so that two such switches do not overlap. Nothing else waits for this
    /// lock.
    switching: Mutex<()>,
    state: Mutex<ServerState>,
}

struct ServerState {
    running: Option<RunningServer>,
    /// The settings of the running server, or those of the next start. Keys are stored only here.
    settings: Settings,
    /// The port of the running server, or the one to try next.
    port: u16,
}

struct RunningServer {
    /// None inside `roost serve`: then it is the program itself.
    own: Option<StandaloneEmulator>,
    control: ServerControl,
    world: ServerWorld,
    url: String,
    since: Timestamp,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerStatus {
    pub running: Option<ServerRunning>,
    /// The port of the running server, or else the port to try next. After a start failed because its port was taken,
    /// this is a free one.
    pub port: u16,
    pub is_recording: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerRunning {
    pub url: String,
    pub world: ServerWorld,
    pub since: Timestamp,
    /// Requests of the REST interface and of short URLs since then.
    pub requests: u64,
    /// False if this server also delivers the page.
    pub can_stop: bool,
}

/// The reason why a server did not start.
enum StartFailure {
    Start(StartError),
    World(CommandError),
}

impl From<StartError> for StartFailure {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl LocalServer {
    pub(crate) fn new(hub: &Arc<AppChangeFeed>) -> Self {
        let journal = Journal::default();
        let pages = Arc::clone(hub);
        journal.subscribe(move || {
            pages.send_topic(ChangeTopic::REQUEST, ActorKind::Interface, None);
            true
        });
        let state = ServerState { running: None, settings: Settings::default(), port: DEFAULT_PORT };
        Self { journal, hub: Arc::clone(hub), switching: Mutex::default(), state: Mutex::new(state) }
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the worlds of the running server, the default one first. Returns none if it does not run.
    pub(crate) fn worlds(&self) -> Vec<WorldHandle> {
        self.server_control().map(|control| control.worlds()).unwrap_or_default()
    }

    /// Returns every journal with the name of its world.
    pub(crate) fn journals(&self) -> Vec<(String, Journal)> {
        let worlds = self.worlds();
        match worlds.is_empty() {
            // Recorded requests stay available after the server has stopped.
            true => vec![(DEFAULT_WORLD.to_owned(), self.journal.clone())],
            false => worlds.into_iter().map(|world| (world.id, world.journal)).collect(),
        }
    }

    /// Calls a route of the operator interface. Blocks until it responds.
    pub(crate) fn operate(&self, by: &Actor, method: &str, target: &str, body: &Value) -> Result<Value, CommandError> {
        let stopped = || CommandError::new(ErrorCode::Conflict, "The server is not running. Start it first.");
        let control = self.server_control().ok_or_else(stopped)?;
        let answer = control.operate(method, target, body).map_err(|declined| {
            if let Some(field) = declined
                .pointer
                .as_deref()
                .map(|pointer| pointer.trim_start_matches('/').replace('/', "."))
                .filter(|field| !field.is_empty())
            {
                return FieldError::new(field, declined.message, Value::Null).into();
            }
            let code = match declined.status {
                404 => ErrorCode::NotFound,
                409 | 503 => ErrorCode::Conflict,
                500 => ErrorCode::Internal,
                _ => ErrorCode::Invalid,
            };
            CommandError::new(code, declined.message)
        })?;
        if method != "GET" {
            self.announce_status(by);
        }
        Ok(answer)
    }

    /// Returns a handle to the running server. The lock is released first, because an operation may take long.
    fn server_control(&self) -> Option<ServerControl> {
        self.lock_state().running.as_ref().map(|running| running.control.clone())
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let state = self.lock_state();
        let running = state.running.as_ref().map(|running| ServerRunning {
            url: running.url.clone(),
            world: running.world,
            since: running.since,
            requests: running.control.request_count(),
            can_stop: running.own.is_some(),
        });
        ServerStatus { running, port: state.port, is_recording: self.journal.is_on() }
    }

    /// Returns the address of the server, or the address that it would have.
    pub(crate) fn url(&self) -> String {
        let state = self.lock_state();
        state.running.as_ref().map_or_else(|| format!("http://127.0.0.1:{}", state.port), |r| r.url.clone())
    }

    /// Shows the server that serves the account from outside this app.
    pub(crate) fn attach(&self, handle: &EmulatorHandle, since: Timestamp) {
        let mut state = self.lock_state();
        state.port = handle.address().port();
        state.running = Some(RunningServer {
            own: None,
            control: handle.control(),
            world: ServerWorld::Account,
            url: handle.url().to_owned(),
            since,
        });
    }

    /// Starts the server and blocks until it responds. `open_account` returns the account to serve or to copy.
    pub(crate) fn start(
        &self,
        open_account: impl FnOnce() -> Result<Core, CommandError>,
        by: &Actor,
        options: StartOptions,
    ) -> Result<(), CommandError> {
        let _switching = self.lock_switching();
        let config = {
            let state = self.lock_state();
            if let Some(running) = &state.running {
                return Err(running.already_running_error());
            }
            check_keys(&state.settings)?;
            let settings = state.settings.clone();
            // Pages show the open account, so the server must not replace it with another one.
            let account =
                if options.world == ServerWorld::Account { AccountOwnership::Lent } else { AccountOwnership::Own };
            let journal = self.journal.clone();
            EmulatorConfig { port: options.port, settings, journal, account, ..EmulatorConfig::default() }
        };
        // An empty scratch world needs no account, but a copy does.
        let account = match (options.world, options.begin) {
            (ServerWorld::Scratch, ScratchContents::Empty) => None,
            (ServerWorld::Account, _) | (ServerWorld::Scratch, ScratchContents::Copy) => Some(open_account()?),
        };
        let started = StandaloneEmulator::start(config, move |_| match (options.world, account) {
            (ServerWorld::Account, Some(core)) => Ok(core),
            (_, original) => create_scratch(original.as_ref()).map_err(StartFailure::World),
        });
        let server = started.map_err(|failed| self.to_error(options.port, failed))?;
        {
            let mut state = self.lock_state();
            state.port = server.address().port();
            state.running = Some(RunningServer {
                control: server.control().clone(),
                url: server.url().to_owned(),
                world: options.world,
                since: Ctx::system().now(),
                own: Some(server),
            });
        }
        self.announce_status(by);
        Ok(())
    }

    /// Stops the server after its running requests. Blocks until its port is free. Does nothing if it does not run.
    pub(crate) fn stop(&self, by: &Actor) -> Result<(), CommandError> {
        let _switching = self.lock_switching();
        let running = {
            let mut state = self.lock_state();
            if let Some(running) = state.running.as_ref().filter(|running| running.own.is_none()) {
                return Err(running.already_running_error());
            }
            state.running.take()
        };
        if let Some(server) = running.and_then(|running| running.own) {
            server.stop();
            self.announce_status(by);
        }
        Ok(())
    }

    /// Stops a server that serves the open account. Call this before closing the account, because a closed one cannot
    /// serve requests. Blocks as `stop` does.
    pub(crate) fn stop_if_on_account(&self) {
        let is_on_account =
            self.lock_state().running.as_ref().is_some_and(|running| running.world == ServerWorld::Account);
        if is_on_account {
            self.end_running();
        }
    }

    /// Stops the server whatever it serves, unless it is `roost serve` itself.
    pub(crate) fn end_running(&self) {
        // This fails only in `roost serve`, where the server outlives the account.
        let _ = self.stop(&Actor::user(None));
    }

    pub(crate) fn set_recording(&self, by: &Actor, is_on: bool) {
        self.journal.set_recording(is_on);
        self.journals().iter().for_each(|(_, journal)| journal.set_recording(is_on));
        self.announce_status(by);
    }

    pub(crate) fn clear_journal(&self, by: &Actor) {
        self.journals().iter().for_each(|(_, journal)| journal.clear());
        // Without a running server, nothing else tells the pages.
        self.hub.send_topic(ChangeTopic::REQUEST, by.source, by.origin.clone());
    }

    pub(crate) fn settings(&self) -> Settings {
        let state = self.lock_state();
        let in_force = state.running.as_ref().and_then(|running| running.control.settings());
        in_force.unwrap_or_else(|| state.settings.clone())
    }

    /// Changes a setting by its name, for the running server and for the next start.
    pub(crate) fn change_setting(&self, by: &Actor, name: &str, value: &Value) -> Result<(), CommandError> {
        {
            let mut state = self.lock_state();
            let control = state.running.as_ref().map(|running| running.control.clone());
            match control.filter(ServerControl::is_running) {
                Some(control) => {
                    state.settings = control.change_setting(name, value).map_err(|why| setting_error(name, &why))?
                }
                None => state
                    .settings
                    .set_json(name, value)
                    .map_err(|why| setting_error(name, &SettingsChangeError::from(why)))?,
            }
        }
        self.announce_status(by);
        Ok(())
    }

    fn announce_status(&self, by: &Actor) {
        self.hub.send_topic(ChangeTopic::SERVER, by.source, by.origin.clone());
    }

    /// Converts a failed start to an error. If the port is taken, the error names a free one, which becomes the next
    /// port to try.
    fn to_error(&self, port: u16, failed: StartFailure) -> CommandError {
        match failed {
            StartFailure::World(error) => error,
            StartFailure::Start(StartError::PortTaken(_)) => {
                let free = free_port(port);
                if let Some(free) = free {
                    self.lock_state().port = free;
                }
                let proposed = free.map_or_else(String::new, |free| format!(" {free} is free."));
                with_port(ErrorCode::Conflict, port, format!("Port {port} is in use by another program.{proposed}"))
            }
            StartFailure::Start(error @ StartError::Listen { .. }) => {
                with_port(ErrorCode::Invalid, port, format!("Port {port} cannot be used: {error}. Choose another."))
            }
            StartFailure::Start(error) => CommandError::internal(&error),
        }
    }

    fn lock_switching(&self) -> MutexGuard<'_, ()> {
        self.switching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningServer {
    fn already_running_error(&self) -> CommandError {
        let message = match self.own {
            Some(_) => format!("The server is already running at {}. Stop it first.", self.url),
            None => format!("The server at {} belongs to `roost serve`. Stop that program to stop it.", self.url),
        };
        CommandError::new(ErrorCode::Conflict, message)
    }
}

fn check_keys(settings: &Settings) -> Result<(), CommandError> {
    if settings.auth == AuthSetting::Keys && settings.keys.is_empty() {
        return Err(FieldError::new("keys", "Name at least one key, or accept any key.", Value::Null).into());
    }
    Ok(())
}

/// Creates a scratch world, empty or with the current data of `original`.
fn create_scratch(original: Option<&Core>) -> Result<Core, CommandError> {
    Ok(match original {
        Some(original) => original.copy_in_memory(Ctx::system())?,
        None => Core::in_memory(Ctx::system())?,
    })
}

fn with_port(code: ErrorCode, port: u16, message: String) -> CommandError {
    CommandError { code, ..FieldError::new("port", message, port).into() }
}

/// The value is not repeated, because it may be a key.
fn setting_error(name: &str, why: &SettingsChangeError) -> CommandError {
    FieldError::new(name, why.to_string(), Value::Null).into()
}
