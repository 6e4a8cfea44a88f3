//! Removes opt-outs. A preview shows exactly which records would be removed, and the removal affects only these.
//!
//! The service cannot remove an account's record alone: it removes every record of the number on that channel. This
//! module does the same, and the preview shows it.

use std::collections::{HashMap, HashSet};

use roost_model::{
    channel::Channel,
    error::FieldError,
    id::AssetId,
    opt_out::{OptOut, OptOutRecordScope},
    phone::Region,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::opt_outs::{self, Warrant},
    tx::{ActDescription, ReadTx},
};
use serde::Serialize;

use super::{
    check_reason,
    grid::{AssetNumbers, OptOutRecord, to_record},
    read_number,
};
use crate::{
    core::{Actor, Core},
    error::{Error, Result},
};

/// The maximum number of numbers or records in one removal.
pub const REMOVAL_MAX: usize = 10_000;
const MAX_RECORDS: usize = 1_000;

/// The selection of records to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalSelection {
    /// A selection as in the interface: the records of one asset's scope, all on a channel, or all on both.
    Numbers { numbers: Vec<String>, channel: Option<Channel>, asset: Option<AssetId>, region: Option<Region> },
    /// A selection of individual records.
    Records(Vec<RecordKey>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordKey {
    /// The number in E.164 form.
    pub number: String,
    pub channel: Channel,
    pub scope: OptOutRecordScope,
}

/// A record that would be removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutToRemove {
    pub record: OptOutRecord,
    /// Whether the record was selected. If false, it is removed because the interface cannot leave it.
    pub is_asked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutRemovalPreview {
    pub count: u64,
    /// The number of records that were not selected but are removed as well.
    pub taken_along: u64,
    /// The first thousand records, by number.
    pub records: Vec<OptOutToRemove>,
    /// The numbers without such a record.
    pub not_found: Vec<String>,
    /// The texts that are not valid numbers.
    pub invalid: Vec<String>,
    /// A stamp that identifies exactly these records.
    pub stamp: String,
}

struct RemovalPlan {
    records: Vec<(OptOut, bool)>,
    not_found: Vec<String>,
    invalid: Vec<String>,
}

impl RemovalPlan {
    fn from_selection(tx: &ReadTx, unwanted: &RemovalSelection) -> Result<Self> {
        let mut going = Self { records: Vec::new(), not_found: Vec::new(), invalid: Vec::new() };
        match unwanted {
            RemovalSelection::Numbers { numbers, channel, asset, region } => {
                check_size("what.numbers", numbers.len())?;
                let channel = match (asset, channel) {
                    (Some(asset), Some(channel)) if asset.channel() != *channel => {
                        let message = "Channel mismatch: the specified asset does not match the requested channel";
                        return Err(FieldError::new("what.asset", message, asset.as_str()).into());
                    }
                    (Some(asset), _) => Some(asset.channel()),
                    (None, channel) => *channel,
                };
                let mut seen = HashSet::new();
                for raw in numbers {
                    let Some(phone) = read_number(raw, *region) else {
                        going.invalid.push(raw.clone());
                        continue;
                    };
                    if !seen.insert(phone.e164.clone()) {
                        continue;
                    }
                    let before = going.records.len();
                    for record in opt_outs::read_by_number(tx, &phone.e164)? {
                        let is_of_channel = channel.is_none_or(|channel| record.channel == channel);
                        if is_of_channel
                            && asset.as_ref().is_none_or(|id| record.scope == OptOutRecordScope::Asset(id.clone()))
                        {
                            going.records.push((record, true));
                        }
                    }
                    if going.records.len() == before {
                        going.not_found.push(raw.clone());
                    }
                }
            }
            RemovalSelection::Records(keys) => {
                check_size("what.records", keys.len())?;
                going.add_keys(tx, keys)?;
            }
        }
        Ok(going)
    }

    fn add_keys(&mut self, tx: &ReadTx, keys: &[RecordKey]) -> Result<()> {
        let mut numbers: Vec<&str> = Vec::new();
        let mut keys_of: HashMap<&str, HashSet<(Channel, &OptOutRecordScope)>> = HashMap::new();
        for key in keys {
            let of_number = keys_of.entry(&key.number).or_default();
            if of_number.is_empty() {
                numbers.push(&key.number);
            }
            of_number.insert((key.channel, &key.scope));
        }
        for number in numbers {
            let requested = &keys_of[number];
            let existing = opt_outs::read_by_number(tx, number)?;
            let is_there =
                |channel, scope: &OptOutRecordScope| existing.iter().any(|r| r.channel == channel && r.scope == *scope);
            if requested.iter().any(|(channel, scope)| !is_there(*channel, scope)) {
                self.not_found.push(number.to_owned());
            }
            // The account's record can only be removed together with the others of its channel.
            let whole = Channel::ALL.map(|channel| {
                (requested.contains(&(channel, &OptOutRecordScope::Account))
                    && is_there(channel, &OptOutRecordScope::Account))
                .then_some(channel)
            });
            for record in existing {
                let is_requested = requested.contains(&(record.channel, &record.scope));
                if is_requested || whole.contains(&Some(record.channel)) {
                    self.records.push((record, is_requested));
                }
            }
        }
        Ok(())
    }

    /// Returns the FNV-1a hash of the properties that identify the records.
    fn stamp(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |bytes: &[u8]| {
            for byte in bytes.iter().chain(&[0xff]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for (record, _) in &self.records {
            take(record.number.as_bytes());
            take(record.channel.as_str().as_bytes());
            take(if let OptOutRecordScope::Asset(id) = &record.scope { id.as_str().as_bytes() } else { b"" });
            take(record.kind.as_str().as_bytes());
            take(&record.time.unix().to_le_bytes());
        }
        format!("{hash:016x}")
    }
}

fn check_size(path: &str, len: usize) -> Result<()> {
    if (1..=REMOVAL_MAX).contains(&len) {
        Ok(())
    } else {
        Err(FieldError::new(path, format!("Give 1 to {REMOVAL_MAX} at once."), len).into())
    }
}

pub fn preview_removal(core: &Core, unwanted: &RemovalSelection) -> Result<OptOutRemovalPreview> {
    core.read(|tx| {
        let going = RemovalPlan::from_selection(tx, unwanted)?;
        let assets = AssetNumbers::read(tx)?;
        let stamp = going.stamp();
        let RemovalPlan { records, not_found, invalid } = going;
        Ok(OptOutRemovalPreview {
            count: records.len() as u64,
            taken_along: records.iter().filter(|(_, is_asked)| !is_asked).count() as u64,
            records: records
                .into_iter()
                .take(MAX_RECORDS)
                .map(|(record, is_asked)| OptOutToRemove { record: to_record(record, &assets), is_asked })
                .collect(),
            not_found,
            invalid,
            stamp,
        })
    })
}

/// Removes exactly the records that the preview showed. Fails if they have changed since.
pub fn remove(
    core: &Core,
    by: &Actor,
    unwanted: &RemovalSelection,
    count: u64,
    stamp: &str,
    reason: &str,
) -> Result<u64> {
    let reason = check_reason(reason)?;
    core.write(by, |tx| {
        let going = RemovalPlan::from_selection(tx, unwanted)?;
        if going.records.len() as u64 != count || going.stamp() != stamp {
            return Err(Error::conflict(
                "The records to remove have changed since they were shown. Nothing was removed. Check them again.",
            ));
        }
        if count == 0 {
            return Err(Error::conflict("The opt-out was not found; nothing was removed."));
        }
        tx.expect_rows(count);
        opt_outs::with_warrant(tx, Warrant::confirmed(count, &reason), |door| {
            for (record, _) in &going.records {
                tx.check_cancelled()?;
                door.delete_one(&record.number, record.channel, &record.scope)?;
            }
            Ok::<_, Error>(())
        })?;
        let mut act = ActDescription::new("opt_out_remove").with_count(count).into_trash(Noun::OptOut);
        if let [(first, _), rest @ ..] = going.records.as_slice()
            && rest.iter().all(|(other, _)| other.number == first.number)
        {
            act = act.with_subject(first.number.as_str());
        }
        tx.describe_act(act);
        tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Deleted, count));
        Ok(count)
    })
}
