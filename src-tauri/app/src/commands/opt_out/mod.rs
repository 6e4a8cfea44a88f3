//! Commands on opt-outs: the grid, the badges, adding, the timeline, the evidence.

mod check;
mod import;
mod removal;

use roost_exports::{self as export, EventQuery, EvidenceFormat, OptOutEvidence};
use roost_model::{channel::Channel, error::FieldError, id::AssetId, opt_out::OptOutType, page::SortOrder};
use roost_ops::{
    Actor,
    opt_out::{
        self, LostOptOut, NewOptOut, OptOutAdded, OptOutGridQuery, OptOutItem, OptOutStates, OptOutTimeline, ScopeKind,
    },
};
use serde::{Deserialize, Serialize};

pub(super) use self::{check::*, import::*, removal::*};

use crate::{
    accounts::App,
    error::CommandError,
    reading::{PageResponse, check_count, parse_id, parse_region, parse_time_bound, read_page_request},
};

/// The maximum number of numbers in one request for badges, and of lost opt-outs in one request.
const STATES_MAX: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct OptOutPage {
    /// Part of a number, in any spelling.
    pub number: Option<String>,
    pub kind: Option<OptOutType>,
    pub channel: Option<Channel>,
    pub scope: Option<ScopeKind>,
    /// The asset that a record holds for, or that received it.
    pub asset: Option<String>,
    /// Part of that asset's number.
    pub inbound_number: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub order: SortOrder,
    pub page_number: u32,
    pub page_size: u32,
}

pub(super) fn page(app: &App, _: &Actor, request: OptOutPage) -> Result<PageResponse<OptOutItem>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let query = OptOutGridQuery {
        number: request.number.as_deref().and_then(opt_out::parse_number_part),
        kind: request.kind,
        channel: request.channel,
        scope: request.scope,
        asset: request.asset.as_deref().map(|text| parse_id("asset", text, AssetId::parse)).transpose()?,
        inbound_number: request.inbound_number.as_deref().and_then(opt_out::parse_number_part),
        from: parse_time_bound("from", request.from.as_deref())?,
        to: parse_time_bound("to", request.to.as_deref())?,
        order: request.order,
        page,
    };
    let found = opt_out::read_grid(&app.core()?, &query)?;
    Ok(PageResponse::new(found, page))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct OptOutStatesGet {
    /// Numbers in E.164 form.
    pub numbers: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct OptOutStatesAnswer {
    /// Only numbers with at least one opt-out.
    pub states: Vec<OptOutStates>,
}

pub(super) fn states(app: &App, _: &Actor, request: OptOutStatesGet) -> Result<OptOutStatesAnswer, CommandError> {
    check_count("numbers", request.numbers.len(), STATES_MAX)?;
    Ok(OptOutStatesAnswer { states: opt_out::read_states(&app.core()?, &request.numbers)? })
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct LostOptOuts {
    pub lost: Vec<LostOptOut>,
}

pub(super) fn lost(app: &App, _: &Actor, request: LostOptOuts) -> Result<LostOptOuts, CommandError> {
    check_count("lost", request.lost.len(), STATES_MAX)?;
    Ok(LostOptOuts { lost: opt_out::keep_lost_opt_outs(&app.core()?, request.lost)? })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct OptOutAdd {
    pub entries: Vec<NewOptOut>,
    pub reason: String,
    pub region: Option<String>,
}

pub(super) fn add(app: &App, by: &Actor, request: OptOutAdd) -> Result<OptOutAdded, CommandError> {
    let core = app.core()?;
    let region = parse_region(&core, request.region.as_deref())?;
    Ok(opt_out::add(&core, by, &request.entries, &request.reason, region)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct OptOutTimelineGet {
    pub number: String,
    pub region: Option<String>,
}

pub(super) fn timeline(app: &App, _: &Actor, request: OptOutTimelineGet) -> Result<OptOutTimeline, CommandError> {
    let core = app.core()?;
    let region = parse_region(&core, request.region.as_deref())?;
    Ok(opt_out::read_timeline(&core, &request.number, region)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct OptOutEvidenceGet {
    pub number: Option<String>,
    pub channel: Option<Channel>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub format: EvidenceFormat,
    pub region: Option<String>,
}

pub(super) fn evidence(app: &App, by: &Actor, request: OptOutEvidenceGet) -> Result<OptOutEvidence, CommandError> {
    let core = app.core()?;
    let region = parse_region(&core, request.region.as_deref())?;
    let number = request.number.as_deref().map(|raw| {
        opt_out::read_number(raw, region)
            .map(|phone| phone.e164)
            .ok_or_else(|| FieldError::new("number", opt_out::NOT_A_NUMBER, raw))
    });
    let query = EventQuery {
        number: number.transpose()?,
        channel: request.channel,
        from: parse_time_bound("from", request.from.as_deref())?,
        to: parse_time_bound("to", request.to.as_deref())?,
    };
    Ok(export::write_evidence(&core, by, &query, request.format)?)
}
