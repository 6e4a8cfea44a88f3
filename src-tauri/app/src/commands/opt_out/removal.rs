//! Removes opt-outs. A preview shows the records first, and the removal takes exactly those.

use roost_model::{channel::Channel, id::AssetId, opt_out::OptOutRecordScope};
use roost_ops::{
    Actor, Core,
    opt_out::{self, OptOutRemovalPreview, RecordKey, RemovalSelection},
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    error::CommandError,
    reading::{parse_id, parse_region},
};

/// The opt-outs to remove.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum OptOutUnwanted {
    /// Numbers, removed as the REST interface would remove them.
    Numbers(OptOutUnwantedNumbers),
    /// These records, and those that the REST interface removes together with them.
    Records(Vec<OptOutKey>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutUnwantedNumbers {
    pub numbers: Vec<String>,
    /// Null means both channels.
    pub channel: Option<Channel>,
    /// Null means every record on the channel.
    pub asset: Option<String>,
    pub region: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutKey {
    /// A number in E.164 form.
    pub number: String,
    pub channel: Channel,
    /// Null means the record of the whole account.
    pub asset: Option<String>,
}

fn unwanted(core: &Core, what: OptOutUnwanted) -> Result<RemovalSelection, CommandError> {
    Ok(match what {
        OptOutUnwanted::Numbers(OptOutUnwantedNumbers { numbers, channel, asset, region: code }) => {
            RemovalSelection::Numbers {
                numbers,
                channel,
                asset: asset.as_deref().map(|text| parse_id("what.asset", text, AssetId::parse)).transpose()?,
                region: parse_region(core, code.as_deref())?,
            }
        }
        OptOutUnwanted::Records(keys) => {
            let keys = keys.into_iter().enumerate().map(|(i, OptOutKey { number, channel, asset })| {
                let path = format!("what.records[{i}].asset");
                let scope = match asset.as_deref().map(|text| parse_id(&path, text, AssetId::parse)).transpose()? {
                    Some(asset) => OptOutRecordScope::Asset(asset),
                    None => OptOutRecordScope::Account,
                };
                Ok(RecordKey { number, channel, scope })
            });
            RemovalSelection::Records(keys.collect::<Result<_, CommandError>>()?)
        }
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutRemovalPreviewGet {
    pub what: OptOutUnwanted,
}

pub(crate) fn removal_preview(
    app: &App,
    _: &Actor,
    request: OptOutRemovalPreviewGet,
) -> Result<OptOutRemovalPreview, CommandError> {
    let core = app.core()?;
    Ok(opt_out::preview_removal(&core, &unwanted(&core, request.what)?)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutRemove {
    pub what: OptOutUnwanted,
    /// The count and the stamp that the preview returned.
    pub expected_count: u64,
    pub stamp: String,
    pub reason: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutRemoved {
    pub removed: u64,
}

pub(crate) fn remove(app: &App, by: &Actor, request: OptOutRemove) -> Result<OptOutRemoved, CommandError> {
    let OptOutRemove { what, expected_count, stamp, reason } = request;
    let core = app.core()?;
    let removed = opt_out::remove(&core, by, &unwanted(&core, what)?, expected_count, &stamp, &reason)?;
    Ok(OptOutRemoved { removed })
}
