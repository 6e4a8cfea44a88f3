//! Requests, approves and removes senders, as the channel set-up of the service does.

use roost_model::{id::SenderId, sender};
use roost_ops::{Actor, sender as act};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    refused::Refused,
    route::{Asked, Nothing},
};
use crate::door::Visit;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminSender")]
pub struct Sender {
    id: String,
    name: String,
    #[schemars(extend("enum" = ["Pending", "Verified"]))]
    status: &'static str,
}

impl From<sender::Sender> for Sender {
    fn from(sender: sender::Sender) -> Self {
        Self { id: sender.id.to_string(), name: sender.name, status: sender.status.as_str() }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SenderRequest {
    /// 3 to 11 letters, digits, spaces or `. - _ &`, or a number.
    #[schemars(length(min = 3, max = 12))]
    name: String,
}

fn id(asked: &Asked) -> Result<SenderId, Refused> {
    SenderId::parse(asked.parameter()).map_err(|e| Refused::invalid(format!("{e}.")))
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Sender>, Refused> {
    let page = asked.page()?;
    let found = act::read_page(&visit.core(), page)?;
    Ok(Paged {
        paging: Paging::for_page(page, found.total_items),
        items: found.items.into_iter().map(Sender::from).collect(),
    })
}

pub fn request(visit: &Visit, _: &Asked, request: SenderRequest) -> Result<Sender, Refused> {
    Ok(act::request(&visit.core(), &Actor::operator(), &request.name)?.into())
}

pub fn approve(visit: &Visit, asked: &Asked) -> Result<Sender, Refused> {
    Ok(act::approve(&visit.core(), &Actor::operator(), &id(asked)?)?.into())
}

pub fn refuse(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    act::refuse(&visit.core(), &Actor::operator(), &id(asked)?)?;
    Ok(Nothing)
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    act::delete(&visit.core(), &Actor::operator(), &id(asked)?)?;
    Ok(Nothing)
}
