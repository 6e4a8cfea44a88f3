//! Commands on senders.

use roost_model::{
    error::ErrorCode,
    id::SenderId,
    sender::{Sender, SenderStatus},
};
use roost_ops::{Actor, sender};
use serde::Deserialize;

use crate::{
    accounts::App,
    commands::Done,
    error::CommandError,
    reading::{PageResponse, parse_id, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SenderPage {
    /// Part of the name, whatever its letter case.
    pub name: Option<String>,
    pub status: Option<SenderStatus>,
    pub page_number: u32,
    pub page_size: u32,
}

pub(crate) fn page(app: &App, _: &Actor, request: SenderPage) -> Result<PageResponse<Sender>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let found = sender::find_senders(&app.core()?, request.name.as_deref(), request.status, page)?;
    Ok(PageResponse::new(found, page))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SenderRequest {
    pub name: String,
}

/// Refuses what only the operator of the service can do, once the account has a service: the REST interface has no
/// request for it, so it would never get there.
fn refuse_if_connected(app: &App) -> Result<(), CommandError> {
    if app.sync()?.is_connected() {
        let message = "This cannot be sent to the service. Senders are requested and reviewed in its web application.";
        return Err(CommandError::new(ErrorCode::Conflict, message));
    }
    Ok(())
}

pub(crate) fn request(app: &App, by: &Actor, request: SenderRequest) -> Result<Sender, CommandError> {
    refuse_if_connected(app)?;
    Ok(sender::request(&app.core()?, by, &request.name)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SenderKey {
    pub id: String,
}

pub(crate) fn approve(app: &App, by: &Actor, request: SenderKey) -> Result<Sender, CommandError> {
    refuse_if_connected(app)?;
    let sender = parse_id("id", &request.id, SenderId::parse)?;
    Ok(sender::approve(&app.core()?, by, &sender)?)
}

pub(crate) fn refuse(app: &App, by: &Actor, request: SenderKey) -> Result<Done, CommandError> {
    refuse_if_connected(app)?;
    let sender = parse_id("id", &request.id, SenderId::parse)?;
    sender::refuse(&app.core()?, by, &sender)?;
    Ok(Done {})
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SenderDelete {
    pub id: String,
    pub typed_name: String,
}

pub(crate) fn delete(app: &App, by: &Actor, request: SenderDelete) -> Result<Done, CommandError> {
    let sender = parse_id("id", &request.id, SenderId::parse)?;
    sender::delete_typed(&app.core()?, by, &sender, &request.typed_name)?;
    Ok(Done {})
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SenderHistoryGet {
    pub id: Option<String>,
    /// Finds a deleted sender by the name that it had.
    pub name: Option<String>,
}

pub(crate) fn history(app: &App, _: &Actor, request: SenderHistoryGet) -> Result<sender::SenderHistory, CommandError> {
    let id = request.id.as_deref().map(|text| parse_id("id", text, SenderId::parse)).transpose()?;
    Ok(sender::read_history(&app.core()?, id.as_ref(), request.name.as_deref())?)
}
