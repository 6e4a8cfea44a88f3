//! Commands on the local server: starting and stopping it, its status, and the recording of requests.

pub(super) mod effects;
pub(super) mod journal;
pub(super) mod operate;
pub(super) mod settings;

use roost_model::error::FieldError;
use roost_ops::Actor;
use serde::Deserialize;

use crate::{
    accounts::App,
    commands::Nothing,
    error::CommandError,
    local_server::{ScratchContents, ServerStatus, ServerWorld, StartOptions},
};

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

/// Turns the recording of requests on or off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ServerRecord {
    pub on: bool,
}

pub(super) fn status(app: &App, _: &Actor, _: Nothing) -> Result<ServerStatus, CommandError> {
    Ok(app.server().status())
}

pub(super) fn start(app: &App, by: &Actor, request: ServerStart) -> Result<ServerStatus, CommandError> {
    let port = u16::try_from(request.port)
        .map_err(|_| FieldError::new("port", "A port is a number from 1 to 65535.", request.port))?;
    let begin = if request.is_copy { ScratchContents::Copy } else { ScratchContents::Empty };
    app.server().start(|| app.core(), by, StartOptions { port, world: request.world, begin })?;
    app.server().set_recording(by, request.is_recording);
    Ok(app.server().status())
}

pub(super) fn stop(app: &App, by: &Actor, _: Nothing) -> Result<ServerStatus, CommandError> {
    app.server().stop(by)?;
    Ok(app.server().status())
}

pub(super) fn record(app: &App, by: &Actor, request: ServerRecord) -> Result<ServerStatus, CommandError> {
    app.server().set_recording(by, request.on);
    Ok(app.server().status())
}

pub(super) fn clear(app: &App, by: &Actor, _: Nothing) -> Result<ServerStatus, CommandError> {
    app.server().clear_journal(by);
    Ok(app.server().status())
}
