//! Commands on inbound assets: their numbers, their keywords, and messages that they receive.

use roost_model::{asset::Asset, channel::Channel, id::AssetId, sender::Sender};
use roost_ops::{
    Actor, asset,
    opt_out::{self, InboundOutcome, OptOutRecord},
};
use serde::{Deserialize, Serialize};

use crate::{accounts::App, commands::Nothing, error::CommandError, reading::parse_id};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetAllAnswer {
    pub assets: Vec<asset::AssetInUse>,
}

pub(crate) fn all(app: &App, _: &Actor, _: Nothing) -> Result<AssetAllAnswer, CommandError> {
    Ok(AssetAllAnswer { assets: asset::read_all_in_use(&app.core()?)? })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetAdd {
    pub channel: Channel,
    pub number: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetAdded {
    pub asset: Asset,
    /// The sender that was created together with a long SMS number, if its form allows one.
    pub sender: Option<Sender>,
}

pub(crate) fn add(app: &App, by: &Actor, request: AssetAdd) -> Result<AssetAdded, CommandError> {
    let (asset, sender) = asset::add_with_sender(&app.core()?, by, request.channel, &request.number)?;
    Ok(AssetAdded { asset, sender })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetRemove {
    pub id: String,
    pub typed_number: String,
}

pub(crate) fn remove(app: &App, by: &Actor, request: AssetRemove) -> Result<asset::AssetRemoved, CommandError> {
    let asset = parse_id("id", &request.id, AssetId::parse)?;
    Ok(asset::remove_typed(&app.core()?, by, &asset, &request.typed_number)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetKeywords {
    pub id: String,
    /// The full set of keywords. Equal ones count once.
    pub keywords: Vec<String>,
}

pub(crate) fn keywords(app: &App, by: &Actor, request: AssetKeywords) -> Result<Asset, CommandError> {
    let asset = parse_id("id", &request.id, AssetId::parse)?;
    Ok(asset::set_keywords(&app.core()?, by, &asset, &request.keywords)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetEnforce {
    pub id: String,
    pub on: bool,
}

pub(crate) fn enforce(app: &App, by: &Actor, request: AssetEnforce) -> Result<Asset, CommandError> {
    let asset = parse_id("id", &request.id, AssetId::parse)?;
    Ok(asset::set_enforce(&app.core()?, by, &asset, request.on)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetInbound {
    pub id: String,
    pub from: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum AssetInboundOutcome {
    OptedOut,
    NoKeyword,
    InvalidNumber,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AssetInboundAnswer {
    pub outcome: AssetInboundOutcome,
    pub keyword: Option<String>,
    /// Whether the number was already opted out in the same scope. The record is then renewed.
    pub was_opted_out: bool,
    pub record: Option<OptOutRecord>,
}

pub(crate) fn inbound(app: &App, by: &Actor, request: AssetInbound) -> Result<AssetInboundAnswer, CommandError> {
    let asset = parse_id("id", &request.id, AssetId::parse)?;
    let core = app.core()?;
    let nothing = |outcome| AssetInboundAnswer { outcome, keyword: None, was_opted_out: false, record: None };
    Ok(match opt_out::handle_inbound_message(&core, by, &request.from, &asset, &request.text)? {
        InboundOutcome::OptedOut { record, keyword, was_opted_out } => AssetInboundAnswer {
            outcome: AssetInboundOutcome::OptedOut,
            keyword: Some(keyword),
            was_opted_out,
            record: Some(opt_out::describe_record(&core, record)?),
        },
        InboundOutcome::NoKeyword => nothing(AssetInboundOutcome::NoKeyword),
        InboundOutcome::InvalidNumber => nothing(AssetInboundOutcome::InvalidNumber),
    })
}
