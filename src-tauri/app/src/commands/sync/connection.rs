//! Commands on the connection to the service and on its key.

use roost_ops::By;
use roost_sync::{
    session::{ConnectionAnswer, ConnectionSave, KeyKept, Tested},
    vault::Secret,
};
use serde::Deserialize;

use super::{SyncDone, SyncNothing, session};
use crate::{accounts::App, error::CommandError, local_server::World};

/// A key to be stored in a vault. No command returns it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionKeySet {
    pub key: String,
    pub keep: KeyKept,
    /// The passphrase of a sealed key file.
    pub passphrase: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionKeyUnlock {
    pub passphrase: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionProbe {
    /// Whether the probe may also write, on a list that it creates.
    pub scratch: bool,
}

/// Returns the connection, with the address of a local server that it could use.
fn told(app: &App) -> Result<ConnectionAnswer, CommandError> {
    let mut answer = session(app)?.connection()?;
    let running = app.server().status().running;
    answer.local_server = running.filter(|running| running.world == World::Scratch).map(|running| running.url);
    Ok(answer)
}

pub fn get(app: &App, _: &By, _: SyncNothing) -> Result<ConnectionAnswer, CommandError> {
    told(app)
}

pub fn save(app: &App, _: &By, request: ConnectionSave) -> Result<ConnectionAnswer, CommandError> {
    session(app)?.connect(&request)?;
    told(app)
}

pub fn forget(app: &App, _: &By, _: SyncNothing) -> Result<SyncDone, CommandError> {
    session(app)?.disconnect()?;
    Ok(SyncDone {})
}

pub fn key_set(app: &App, _: &By, request: ConnectionKeySet) -> Result<ConnectionAnswer, CommandError> {
    let key = Secret::new(request.key);
    session(app)?.set_key(key, request.keep, request.passphrase.map(Secret::new))?;
    told(app)
}

pub fn key_unlock(app: &App, _: &By, request: ConnectionKeyUnlock) -> Result<ConnectionAnswer, CommandError> {
    session(app)?.unlock(Secret::new(request.passphrase))?;
    told(app)
}

pub fn key_forget(app: &App, _: &By, _: SyncNothing) -> Result<ConnectionAnswer, CommandError> {
    session(app)?.forget_key()?;
    told(app)
}

pub fn test(app: &App, _: &By, _: SyncNothing) -> Result<Tested, CommandError> {
    Ok(session(app)?.test()?)
}

pub fn probe(app: &App, _: &By, request: ConnectionProbe) -> Result<SyncDone, CommandError> {
    session(app)?.begin_probe(request.scratch)?;
    Ok(SyncDone {})
}
