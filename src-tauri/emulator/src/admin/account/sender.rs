//! Requests, approves and removes senders, as the channel set-up of the service does.

use roost_model::{id::SenderId, sender};
use roost_ops::{Actor, sender as act};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    error::AdminError,
    route::{AdminRequest, NoContent},
};
use crate::door::WorldVisit;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminSender")]
pub(crate) struct AdminSender {
    id: String,
    name: String,
    #[schemars(extend("enum" = ["Pending", "Verified"]))]
    status: &'static str,
}

impl From<sender::Sender> for AdminSender {
    fn from(sender: sender::Sender) -> Self {
        Self { id: sender.id.to_string(), name: sender.name, status: sender.status.as_str() }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SenderRequest {
    /// 3 to 11 letters, digits, spaces or `. - _ &`, or a number.
    #[schemars(length(min = 3, max = 12))]
    name: String,
}

fn parse_sender_id(request: &AdminRequest) -> Result<SenderId, AdminError> {
    SenderId::parse(request.first_parameter()).map_err(|e| AdminError::invalid(format!("{e}.")))
}

pub(crate) fn list_senders(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<AdminSender>, AdminError> {
    let page = request.page_request()?;
    let found = act::read_page(&visit.core(), page)?;
    Ok(Paged {
        paging: Paging::for_page(page, found.total_items),
        items: found.items.into_iter().map(AdminSender::from).collect(),
    })
}

pub(crate) fn request_sender(
    visit: &WorldVisit,
    _: &AdminRequest,
    request: SenderRequest,
) -> Result<AdminSender, AdminError> {
    Ok(act::request(&visit.core(), &Actor::operator(), &request.name)?.into())
}

pub(crate) fn approve_sender(visit: &WorldVisit, request: &AdminRequest) -> Result<AdminSender, AdminError> {
    Ok(act::approve(&visit.core(), &Actor::operator(), &parse_sender_id(request)?)?.into())
}

pub(crate) fn refuse_sender(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    act::refuse(&visit.core(), &Actor::operator(), &parse_sender_id(request)?)?;
    Ok(NoContent)
}

pub(crate) fn remove_sender(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    act::delete(&visit.core(), &Actor::operator(), &parse_sender_id(request)?)?;
    Ok(NoContent)
}
