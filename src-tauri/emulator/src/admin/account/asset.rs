//! Lists and changes the inbound assets.

use roost_model::{asset, channel::Channel, id::AssetId};
use roost_ops::{Actor, asset as act};
use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    error::AdminError,
    route::{AdminRequest, NoContent},
};
use crate::door::WorldVisit;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Asset {
    id: String,
    #[schemars(extend("enum" = ["SMS", "WHATSAPP"]))]
    channel: &'static str,
    /// E.164, or the digits of a short code.
    number: String,
    enforce_account_level_opt_outs: bool,
    keywords: Vec<String>,
}

impl From<asset::Asset> for Asset {
    fn from(asset: asset::Asset) -> Self {
        Self {
            id: asset.id.to_string(),
            channel: asset.channel.as_str(),
            number: asset.number,
            enforce_account_level_opt_outs: asset.enforce_account_level_opt_outs,
            keywords: asset.keywords,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssetRequest {
    /// SMS or WHATSAPP, in upper or lower case.
    channel: String,
    /// E.164, or for SMS a short code of five digits.
    number: String,
}

/// Fields to change. Those left out stay the same.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssetChange {
    enforce_account_level_opt_outs: Option<bool>,
    /// Replaces all keywords.
    keywords: Option<Vec<String>>,
}

/// Parses a channel name, in any case.
pub(super) fn parse_channel(text: &str) -> Result<Channel, AdminError> {
    Channel::parse(text).ok_or_else(|| AdminError::invalid("channel: expected SMS or WHATSAPP."))
}

pub(super) fn parse_asset_id(text: &str) -> Result<AssetId, AdminError> {
    AssetId::parse(text).map_err(|e| AdminError::invalid(format!("{e}.")))
}

pub(crate) fn list_assets(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<Asset>, AdminError> {
    request.paginate(act::read_all(&visit.core())?.into_iter().map(Asset::from))
}

pub(crate) fn add_asset(visit: &WorldVisit, _: &AdminRequest, request: AssetRequest) -> Result<Asset, AdminError> {
    Ok(act::add(&visit.core(), &Actor::operator(), parse_channel(&request.channel)?, &request.number)?.into())
}

pub(crate) fn change_asset(
    visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: AssetChange,
) -> Result<Asset, AdminError> {
    let id = parse_asset_id(admin_request.first_parameter())?;
    // The keywords are set first, because they can be refused, and then nothing has changed.
    if let Some(keywords) = &request.keywords {
        act::set_keywords(&visit.core(), &Actor::operator(), &id, keywords)?;
    }
    if let Some(on) = request.enforce_account_level_opt_outs {
        act::set_enforce(&visit.core(), &Actor::operator(), &id, on)?;
    }
    Ok(act::get(&visit.core(), &id)?.into())
}

pub(crate) fn remove_asset(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    act::remove(&visit.core(), &Actor::operator(), &parse_asset_id(request.first_parameter())?)?;
    Ok(NoContent)
}
