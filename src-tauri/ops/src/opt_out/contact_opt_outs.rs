//! Opts out the contacts of a selection. This only adds: a number that is already opted out keeps its record.

use std::collections::HashSet;

use roost_model::{
    channel::Channel,
    contact::ContactField,
    error::FieldError,
    id::ListId,
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        contacts::grid::scan,
        lists::{self, ListRow},
        opt_outs,
    },
    tx::{ActDescription, ReadTx},
    watch::Watch,
};
use serde::Serialize;

use super::{add::parse_scope, check_reason, grid::AssetNumbers};
use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

/// The result of opting contacts out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridOptedOut"))]
pub struct ContactOptOutSummary {
    pub added: u64,
    /// Numbers that were opted out in that scope before. Their records stay as they are.
    pub already: u64,
    /// Contacts without any number.
    pub without_number: u64,
    /// Null if nothing changed.
    pub step: Option<i64>,
}

/// The number of contacts read at once.
const CHUNK_CONTACTS: usize = 2_000;

/// Reads the numbers of contacts in chunks. If a contact has the same number in both columns, it is returned once.
fn visit_numbers(
    tx: &ReadTx,
    list: ListRow,
    contacts: &[i64],
    watch: &Watch,
    mut visit: impl FnMut(Vec<String>, u64) -> Result<()>,
) -> Result<()> {
    let fields = [ContactField::PhoneNumber, ContactField::WhatsappId];
    for part in contacts.chunks(CHUNK_CONTACTS) {
        let (mut numbers, mut without) = (Vec::with_capacity(part.len()), 0);
        scan::visit_by_ids(tx, list, part, &fields, watch, &mut |_, row| {
            let before = numbers.len();
            for at in [scan::FIRST_COLUMN, scan::FIRST_COLUMN + 1] {
                let text = scan::text_bytes(row, at)?.and_then(|text| std::str::from_utf8(text).ok());
                if let Some(number) = text.filter(|number| !number.is_empty())
                    && numbers[before..].iter().all(|known| known != number)
                {
                    numbers.push(number.to_owned());
                }
            }
            without += u64::from(numbers.len() == before);
            Ok(())
        })?;
        visit(numbers, without)?;
    }
    Ok(())
}

/// Returns how many different numbers the contacts have.
pub fn count_numbers(core: &Core, by: &Actor, list: &ListId, contacts: &[i64]) -> Result<u64> {
    let watch = by.watch.clone().unwrap_or_default();
    core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let mut all = HashSet::new();
        visit_numbers(tx, row, contacts, &watch, |numbers, _| {
            all.extend(numbers);
            Ok(())
        })?;
        Ok(all.len() as u64)
    })
}

/// Opts every number of the contacts out on each channel, whether it is used there or not, for the account or for one
/// asset.
pub fn opt_out_contacts(
    core: &Core,
    by: &Actor,
    list: &ListId,
    contacts: &[i64],
    channels: &[Channel],
    asset: Option<&str>,
    reason: &str,
) -> Result<ContactOptOutSummary> {
    let reason = check_reason(reason)?;
    if channels.is_empty() {
        return Err(FieldError::new("channels", "Choose a channel.", Vec::<String>::new()).into());
    }
    let watch = by.watch.clone().unwrap_or_default();
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let (scope, inbound) = match asset {
            None => (OptOutRecordScope::Account, None),
            Some(text) => {
                let (id, number) = parse_scope(&AssetNumbers::read(tx)?, text, channels)
                    .map_err(|message| FieldError::new("scope", message, text))?;
                (OptOutRecordScope::Asset(id.clone()), Some(InboundAsset { asset_id: id, number: Some(number) }))
            }
        };
        tx.set_reason(&reason)?;
        tx.expect_rows((contacts.len() * channels.len()) as u64);
        let mut summary = ContactOptOutSummary::default();
        visit_numbers(tx, row, contacts, &watch, |numbers, without| {
            summary.without_number += without;
            for number in numbers {
                tx.check_cancelled()?;
                for channel in channels {
                    let (scope, inbound, time) = (scope.clone(), inbound.clone(), core.ctx().now());
                    let (number, channel) = (number.clone(), *channel);
                    let record = OptOut { number, channel, scope, kind: OptOutType::AccountImport, inbound, time };
                    if opt_outs::insert(tx, &record)? { summary.added += 1 } else { summary.already += 1 }
                }
            }
            Ok(())
        })?;
        if summary.added > 0 {
            let name = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
            tx.describe_act(
                ActDescription::new("grid_opt_out").with_subject(name).with_uid(list).with_count(summary.added),
            );
            tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Created, summary.added));
            summary.step = Some(tx.step());
        }
        Ok::<_, Error>(summary)
    })
}
