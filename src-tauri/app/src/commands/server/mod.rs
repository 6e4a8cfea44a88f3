//! Commands on the local server: starting and stopping it, its status, and the recording of requests.

pub(super) mod effects;
pub(super) mod journal;
pub(super) mod operate;
pub(super) mod settings;

use roost_model::{error::FieldError, time::Timestamp};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    commands::Nothing,
    error::CommandError,
    local_server::{ScratchContents, ServedWorld, StartOptions},
};

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) enum ServerWorld {
    Account,
    /// In memory. Its data is lost when the server stops.
    Scratch,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ServerStart {
    /// 0 chooses a free port.
    pub port: u32,
    pub world: ServerWorld,
    /// Whether a scratch world begins as a copy of the account.
    pub is_copy: bool,
    pub is_recording: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ServerStatus {
    pub running: Option<ServerRunning>,
    /// The port of the running server, or else the port to try next. After a start failed because its port was taken,
    /// this is a free one.
    pub port: u16,
    pub is_recording: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ServerRunning {
    pub url: String,
    pub world: ServerWorld,
    pub since: Timestamp,
    /// Requests of the REST interface and of short URLs since then.
    pub requests: u64,
    /// False if this server also delivers the page.
    pub can_stop: bool,
}

/// Turns the recording of requests on or off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ServerRecord {
    pub on: bool,
}

impl ServerStatus {
    fn from_local(app: &App) -> Self {
        let status = app.server().status();
        let running = status.running.map(|running| ServerRunning {
            url: running.url,
            world: match running.world {
                ServedWorld::Account => ServerWorld::Account,
                ServedWorld::Scratch => ServerWorld::Scratch,
            },
            since: running.since,
            requests: running.requests,
            can_stop: running.can_stop,
        });
        Self { running, port: status.port, is_recording: status.is_recording }
    }
}

pub(super) fn status(app: &App, _: &Actor, _: Nothing) -> Result<ServerStatus, CommandError> {
    Ok(ServerStatus::from_local(app))
}

pub(super) fn start(app: &App, by: &Actor, request: ServerStart) -> Result<ServerStatus, CommandError> {
    let port = u16::try_from(request.port).map_err(|_| {
        CommandError::invalid(vec![FieldError::new("port", "A port is a number from 1 to 65535.", request.port)])
    })?;
    let world = match request.world {
        ServerWorld::Account => ServedWorld::Account,
        ServerWorld::Scratch => ServedWorld::Scratch,
    };
    let begin = if request.is_copy { ScratchContents::Copy } else { ScratchContents::Empty };
    app.server().start(|| app.core(), by, StartOptions { port, world, begin })?;
    app.server().set_recording(by, request.is_recording);
    Ok(ServerStatus::from_local(app))
}

pub(super) fn stop(app: &App, by: &Actor, _: Nothing) -> Result<ServerStatus, CommandError> {
    app.server().stop(by)?;
    Ok(ServerStatus::from_local(app))
}

pub(super) fn record(app: &App, by: &Actor, request: ServerRecord) -> Result<ServerStatus, CommandError> {
    app.server().set_recording(by, request.on);
    Ok(ServerStatus::from_local(app))
}

pub(super) fn clear(app: &App, by: &Actor, _: Nothing) -> Result<ServerStatus, CommandError> {
    app.server().clear_journal(by);
    Ok(ServerStatus::from_local(app))
}
