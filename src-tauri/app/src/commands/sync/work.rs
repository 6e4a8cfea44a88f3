//! Commands that pull from the service and report the status of the sync.

use roost_ops::Actor;
use roost_sync_session::{PullSummary, SyncScope, SyncStatus};
use serde::Deserialize;

use crate::{
    accounts::App,
    commands::{Done, Nothing},
    error::CommandError,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SyncPull {
    /// One contact list by its local UID. Null pulls everything.
    pub list: Option<String>,
    /// Also reads parts that appear unchanged.
    pub full: bool,
    /// The user has seen that many records are missing at the service, and confirms their deletion.
    pub believe: bool,
}

pub(crate) fn status(app: &App, _: &Actor, _: Nothing) -> Result<SyncStatus, CommandError> {
    Ok(app.sync()?.status()?)
}

pub(crate) fn pull(app: &App, _: &Actor, request: SyncPull) -> Result<Done, CommandError> {
    let session = app.sync()?;
    let list = request.list.as_deref().map(|uid| session.list_id(uid)).transpose()?;
    session.begin_pull(list, request.full, request.believe)?;
    Ok(Done {})
}

pub(crate) fn stop(app: &App, _: &Actor, _: Nothing) -> Result<Done, CommandError> {
    app.sync()?.stop();
    Ok(Done {})
}

pub(crate) fn pulled(app: &App, _: &Actor, _: Nothing) -> Result<Option<PullSummary>, CommandError> {
    Ok(app.sync()?.last_pull()?)
}

pub(crate) fn scopes(app: &App, _: &Actor, _: Nothing) -> Result<Vec<SyncScope>, CommandError> {
    Ok(app.sync()?.list_scopes()?)
}
