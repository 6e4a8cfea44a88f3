//! Commands on imports of files: opening, reading, mapping columns, rehearsing, accepting, and the history.

mod files;
mod mapping;
mod past;
mod rehearsal;
#[cfg(test)]
mod tests;

use std::time::Duration;

use roost_imports::session::{ImportPurpose, ImportSource, ImportState, ImportTarget, ImportWaiting};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

pub(crate) use self::{files::*, mapping::*, past::*, rehearsal::*};

use crate::{
    accounts::App,
    commands::{Done, Nothing},
    error::CommandError,
};

/// The longest wait for news, in milliseconds. A page then asks again.
const WAIT_MAX: u32 = 1_000;
/// Long enough to read, rehearse or accept a short file before the first response.
pub(super) const FIRST_WAIT: Duration = Duration::from_millis(30);

/// An import by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportId {
    pub import: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportOpen {
    pub purpose: ImportPurpose,
    /// May be empty, because files can be added later.
    pub sources: Vec<ImportSource>,
    pub target: Option<ImportTarget>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportStateGet {
    pub import: u64,
    /// The generation that the page knows. The wait ends when it changes.
    pub generation: Option<u32>,
    /// How long to wait for news, at most 1,000. Null does not wait.
    pub wait_ms: Option<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportWaitingAnswer {
    /// The most recent first.
    pub imports: Vec<ImportWaiting>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportTargetPut {
    pub import: u64,
    pub target: Option<ImportTarget>,
}

pub(crate) fn open(app: &App, _: &Actor, request: ImportOpen) -> Result<ImportState, CommandError> {
    files::check_sources(app, &request.sources)?;
    let account = app.account()?;
    let import = account.imports().open(&account.core, request.purpose, request.sources, request.target)?;
    Ok(account.imports().state(&account.core, import, None, FIRST_WAIT)?)
}

pub(crate) fn state(app: &App, _: &Actor, request: ImportStateGet) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    let wait = Duration::from_millis(request.wait_ms.unwrap_or(0).min(WAIT_MAX).into());
    Ok(account.imports().state(&account.core, request.import, request.generation, wait)?)
}

pub(crate) fn waiting(app: &App, _: &Actor, _: Nothing) -> Result<ImportWaitingAnswer, CommandError> {
    let account = app.account()?;
    Ok(ImportWaitingAnswer { imports: account.imports().list_waiting(&account.core)? })
}

pub(crate) fn target(app: &App, _: &Actor, request: ImportTargetPut) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().set_target(&account.core, request.import, request.target)?;
    read_state(app, request.import)
}

pub(crate) fn cancel(app: &App, _: &Actor, request: ImportId) -> Result<Done, CommandError> {
    let account = app.account()?;
    account.imports().cancel(&account.core, request.import)?;
    Ok(Done {})
}

pub(crate) fn discard(app: &App, _: &Actor, request: ImportId) -> Result<Done, CommandError> {
    let account = app.account()?;
    account.imports().discard(&account.core, request.import)?;
    Ok(Done {})
}

/// Returns the state of an import right after a request changed it.
pub(super) fn read_state(app: &App, import: u64) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    Ok(account.imports().state(&account.core, import, None, FIRST_WAIT)?)
}
