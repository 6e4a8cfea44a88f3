//! Lists and records clicks on short links.

use roost_model::{id::LinkId, short_link as model};
use roost_ops::{Actor, short_link};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{error::AdminError, route::AdminRequest};
use crate::door::WorldVisit;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Click {
    link_id: String,
    title: String,
    short_link_url: String,
    target_url: String,
    recipient: Option<String>,
    device: Option<String>,
    browser: Option<String>,
    operating_system: Option<String>,
    campaign_uid: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    time: String,
}

impl From<model::Click> for Click {
    fn from(click: model::Click) -> Self {
        Self {
            link_id: click.link_id.to_string(),
            title: click.title,
            short_link_url: click.short_link_url,
            target_url: click.target_url,
            recipient: click.recipient,
            device: click.device,
            browser: click.browser,
            operating_system: click.operating_system,
            campaign_uid: click.campaign_uid,
            time: click.time.to_iso(),
        }
    }
}

/// The visitor, as far as known.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClickRequest {
    recipient: Option<String>,
    device: Option<String>,
    browser: Option<String>,
    operating_system: Option<String>,
    campaign_uid: Option<String>,
}

fn parse_link_id(request: &AdminRequest) -> Result<LinkId, AdminError> {
    LinkId::parse(request.first_parameter()).map_err(|e| AdminError::invalid(format!("{e}.")))
}

pub(crate) fn list_clicks(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<Click>, AdminError> {
    let page = request.page_request()?;
    let found = short_link::read_clicks(&visit.core(), &parse_link_id(request)?, page)?;
    Ok(Paged {
        paging: Paging::for_page(page, found.total_items),
        items: found.items.into_iter().map(Click::from).collect(),
    })
}

pub(crate) fn add_click(
    world_visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: ClickRequest,
) -> Result<Click, AdminError> {
    let ClickRequest { recipient, device, browser, operating_system, campaign_uid } = request;
    let visit = short_link::LinkVisit { recipient, device, browser, operating_system, campaign_uid };
    let base = world_visit.short_base();
    Ok(short_link::record_click(&world_visit.core(), &Actor::operator(), &parse_link_id(admin_request)?, &base, visit)?
        .into())
}
