//! The ways of opting out that the interface has no operation for: a reply, a web form and an import.

use roost_model::{channel::Channel, opt_out, opt_out::OptOutType};
use roost_ops::{Actor, opt_out as act};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{error::AdminError, route::AdminRequest},
    asset,
};
use crate::door::WorldVisit;

/// An opt-out with its asset, even where the interface does not show it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminOptOut")]
pub(crate) struct AdminOptOut {
    number: String,
    channel: &'static str,
    account_level_opt_out: bool,
    opt_out_type: &'static str,
    asset_id: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    opt_out_time: String,
}

impl From<opt_out::OptOut> for AdminOptOut {
    fn from(record: opt_out::OptOut) -> Self {
        Self {
            number: record.number,
            channel: record.channel.as_str(),
            account_level_opt_out: record.scope.is_account(),
            opt_out_type: record.kind.as_str(),
            asset_id: record.inbound.map(|inbound| inbound.asset_id.to_string()),
            opt_out_time: record.time.to_iso(),
        }
    }
}

/// A message from a recipient.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboundMessage {
    from: String,
    asset_id: String,
    text: String,
}

/// The opt-out that the message created. Null unless it was a keyword of the asset.
#[derive(Serialize, JsonSchema)]
pub(crate) struct InboundEffect {
    opt_out: Option<AdminOptOut>,
}

pub(crate) fn receive_message(
    visit: &WorldVisit,
    _: &AdminRequest,
    message: InboundMessage,
) -> Result<InboundEffect, AdminError> {
    let asset = asset::parse_asset_id(&message.asset_id).map_err(|why| why.at_path("asset_id"))?;
    let opt_out = act::opt_out_by_message(&visit.core(), &Actor::operator(), &message.from, &asset, &message.text)?;
    Ok(InboundEffect { opt_out: opt_out.map(AdminOptOut::from) })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebForm {
    number: String,
    /// SMS or WHATSAPP, in upper or lower case. Default SMS.
    channel: Option<String>,
}

pub(crate) fn receive_web_form(visit: &WorldVisit, _: &AdminRequest, form: WebForm) -> Result<AdminOptOut, AdminError> {
    let channel = form.channel.as_deref().map_or(Ok(Channel::Sms), asset::parse_channel)?;
    Ok(act::add_web_opt_out(&visit.core(), &Actor::operator(), &form.number, channel)?.into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptOutImport {
    rows: Vec<OptOutImportRow>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OptOutImportRow {
    number: String,
    channel: Option<String>,
    asset_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct OptOutImportReport {
    total_submitted: usize,
    total_succeeded: usize,
    total_failed: usize,
    /// One result per row, in the same order.
    items: Vec<OptOutImportOutcome>,
}

#[derive(Serialize, JsonSchema)]
struct OptOutImportOutcome {
    number: String,
    channel: String,
    #[schemars(extend("enum" = ["success", "failure"]))]
    status: &'static str,
    /// Why the row was skipped.
    message: Option<String>,
}

pub(crate) fn import_opt_outs(
    visit: &WorldVisit,
    _: &AdminRequest,
    import: OptOutImport,
) -> Result<OptOutImportReport, AdminError> {
    let entries: Vec<_> = import
        .rows
        .iter()
        .map(|row| act::OptOutEntry {
            number: &row.number,
            channel: row.channel.as_deref(),
            asset_id: row.asset_id.as_deref(),
        })
        .collect();
    let outcomes = act::create(&visit.core(), &Actor::operator(), &entries, OptOutType::AccountImport)?;
    let items: Vec<_> = outcomes
        .into_iter()
        .map(|outcome| {
            let message = outcome.result.err().map(|fault| fault.message());
            let status = if message.is_none() { "success" } else { "failure" };
            OptOutImportOutcome { number: outcome.number, channel: outcome.channel, status, message }
        })
        .collect();
    let total_succeeded = items.iter().filter(|item| item.message.is_none()).count();
    Ok(OptOutImportReport {
        total_submitted: items.len(),
        total_succeeded,
        total_failed: items.len() - total_succeeded,
        items,
    })
}
