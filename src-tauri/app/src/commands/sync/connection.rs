//! Commands on the connection to the service and on its key.

use roost_ops::Actor;
use roost_sync::vault::Secret;
use roost_sync_session::{ConnectionAnswer, ConnectionSave, ConnectionTest, KeyLocation};
use serde::Deserialize;

use crate::{
    accounts::App,
    commands::{Done, Nothing},
    error::CommandError,
    local_server::ServerWorld,
};

/// A key to be stored in a vault. No command returns it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConnectionKeySet {
    pub key: String,
    pub keep: KeyLocation,
    /// The passphrase of a sealed key file.
    pub passphrase: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConnectionKeyUnlock {
    pub passphrase: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConnectionProbe {
    /// Whether the probe may also write, on a list that it creates.
    pub scratch: bool,
}

/// Returns the connection, with the address of a local server that it could use.
fn read_connection(app: &App) -> Result<ConnectionAnswer, CommandError> {
    let mut answer = app.sync()?.describe_connection()?;
    let running = app.server().status().running;
    answer.local_server = running.filter(|running| running.world == ServerWorld::Scratch).map(|running| running.url);
    Ok(answer)
}

pub(crate) fn get(app: &App, _: &Actor, _: Nothing) -> Result<ConnectionAnswer, CommandError> {
    read_connection(app)
}

pub(crate) fn save(app: &App, _: &Actor, request: ConnectionSave) -> Result<ConnectionAnswer, CommandError> {
    app.sync()?.connect(&request)?;
    read_connection(app)
}

pub(crate) fn forget(app: &App, _: &Actor, _: Nothing) -> Result<Done, CommandError> {
    app.sync()?.disconnect()?;
    Ok(Done {})
}

pub(crate) fn key_set(app: &App, _: &Actor, request: ConnectionKeySet) -> Result<ConnectionAnswer, CommandError> {
    let key = Secret::new(request.key);
    app.sync()?.set_key(key, request.keep, request.passphrase.map(Secret::new))?;
    read_connection(app)
}

pub(crate) fn key_unlock(app: &App, _: &Actor, request: ConnectionKeyUnlock) -> Result<ConnectionAnswer, CommandError> {
    app.sync()?.unlock_key(Secret::new(request.passphrase))?;
    read_connection(app)
}

pub(crate) fn key_forget(app: &App, _: &Actor, _: Nothing) -> Result<ConnectionAnswer, CommandError> {
    app.sync()?.forget_key()?;
    read_connection(app)
}

pub(crate) fn test(app: &App, _: &Actor, _: Nothing) -> Result<ConnectionTest, CommandError> {
    Ok(app.sync()?.test_connection()?)
}

pub(crate) fn probe(app: &App, _: &Actor, request: ConnectionProbe) -> Result<Done, CommandError> {
    app.sync()?.begin_probe(request.scratch)?;
    Ok(Done {})
}
