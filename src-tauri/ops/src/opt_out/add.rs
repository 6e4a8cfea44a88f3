//! Adds opt-outs by hand with a reason.

use std::collections::HashSet;

use roost_model::{
    channel::Channel,
    error::FieldError,
    id::AssetId,
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
    phone::Region,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::opt_outs,
    tx::ActDescription,
};
use serde::{Deserialize, Serialize};

use super::{
    NOT_A_NUMBER, check_reason,
    grid::{AssetNumbers, OptOutRecord, to_record},
    read_number,
};
use crate::{
    core::{Actor, Core},
    error::{Error, Result},
};

/// The maximum number of entries in one act.
pub const ENTRIES_MAX: usize = 10_000;
/// The maximum number of records in the result.
const MAX_RECORDS: usize = 200;

/// A number to opt out, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "OptOutEntry"))]
pub struct NewOptOut {
    pub number: String,
    pub channels: Vec<Channel>,
    /// Null means the whole account.
    pub asset: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutAdded {
    pub added: u64,
    /// The number of records that already existed in this scope and were replaced by the new ones.
    pub renewed: u64,
    /// The first records.
    pub records: Vec<OptOutRecord>,
}

/// Opts numbers out: all of them, or none if one is invalid. As in the interface, an existing opt-out in the same scope
/// is renewed. The service calls an act of the account holder an account import.
pub fn add(
    core: &Core,
    by: &Actor,
    entries: &[NewOptOut],
    reason: &str,
    region: Option<Region>,
) -> Result<OptOutAdded> {
    let mut faults = Vec::new();
    let reason = check_reason(reason).map_err(|fault| faults.push(fault)).unwrap_or_default();
    if !(1..=ENTRIES_MAX).contains(&entries.len()) {
        faults.push(FieldError::new("entries", format!("Give 1 to {ENTRIES_MAX} numbers at once."), entries.len()));
    }
    core.write(by, |tx| {
        let assets = AssetNumbers::read(tx)?;
        let mut records = Vec::new();
        let mut seen = HashSet::new();
        for (i, entry) in entries.iter().enumerate() {
            let before = faults.len();
            let number = read_number(&entry.number, region).map(|phone| phone.e164);
            if number.is_none() {
                faults.push(FieldError::new(format!("entries[{i}].number"), NOT_A_NUMBER, entry.number.as_str()));
            }
            if entry.channels.is_empty() {
                faults.push(FieldError::new(
                    format!("entries[{i}].channels"),
                    "Choose a channel.",
                    Vec::<String>::new(),
                ));
            }
            let (scope, inbound) = match &entry.asset {
                None => (OptOutRecordScope::Account, None),
                Some(text) => match parse_scope(&assets, text, &entry.channels) {
                    Ok((id, number)) => (
                        OptOutRecordScope::Asset(id.clone()),
                        Some(InboundAsset { asset_id: id, number: Some(number) }),
                    ),
                    Err(message) => {
                        faults.push(FieldError::new(format!("entries[{i}].asset"), message, text.as_str()));
                        (OptOutRecordScope::Account, None)
                    }
                },
            };
            let Some(number) = number.filter(|_| faults.len() == before) else { continue };
            for channel in &entry.channels {
                if seen.insert((number.clone(), *channel, scope.clone())) {
                    records.push(OptOut {
                        number: number.clone(),
                        channel: *channel,
                        scope: scope.clone(),
                        kind: OptOutType::AccountImport,
                        inbound: inbound.clone(),
                        time: core.ctx().now(),
                    });
                }
            }
        }
        if !faults.is_empty() {
            return Err(Error::Invalid { faults });
        }
        tx.set_reason(&reason)?;
        tx.expect_rows(records.len() as u64);
        let mut renewed = 0;
        for record in &records {
            tx.check_cancelled()?;
            renewed += u64::from(opt_outs::exists(tx, &record.number, record.channel, &record.scope)?);
            opt_outs::replace(tx, record)?;
        }
        let count = records.len() as u64;
        let mut act = ActDescription::new("opt_out_add").with_count(count);
        if let [first, rest @ ..] = records.as_slice()
            && rest.iter().all(|other| other.number == first.number)
        {
            act = act.with_subject(first.number.as_str());
        }
        tx.describe_act(act);
        tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Created, count));
        let shown = records.into_iter().take(MAX_RECORDS).map(|record| to_record(record, &assets)).collect();
        Ok(OptOutAdded { added: count - renewed, renewed, records: shown })
    })
}

pub(super) fn parse_scope(
    assets: &AssetNumbers,
    text: &str,
    channels: &[Channel],
) -> std::result::Result<(AssetId, String), String> {
    let id = AssetId::parse(text).map_err(|error| error.to_string())?;
    let number = assets.get(&id).ok_or_else(|| format!("The account has no asset {text}."))?.clone();
    if channels.iter().any(|channel| *channel != id.channel()) {
        return Err(format!("{number} is an asset on {} only.", id.channel().as_str()));
    }
    Ok((id, number))
}
