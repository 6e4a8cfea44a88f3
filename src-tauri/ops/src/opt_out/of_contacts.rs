//! Opts out the contacts of a selection. This only adds: a number that is already opted out keeps its record.

use std::collections::HashSet;

use roost_model::{
    channel::Channel,
    contact::ContactField,
    error::Fault,
    id::ListId,
    opt_out::{Inbound, OptOut, OptOutType, Scope},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        contacts::grid::scan,
        lists::{self, ListRow},
        opt_outs,
        steps::Act,
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{add::scope_of, check_reason, grid::AssetNumbers};
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// The result of opting contacts out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OfContacts {
    pub added: u64,
    /// The number of opt-outs that already existed in that scope.
    pub already: u64,
    /// The number of contacts without any number.
    pub without_number: u64,
    pub step: Option<i64>,
}

/// The number of contacts read at once.
const STRETCH: usize = 2_000;

/// Reads the numbers of contacts in chunks. If a contact has the same number in both columns, it is returned once.
fn each_numbers(
    tx: &ReadTx,
    list: ListRow,
    contacts: &[i64],
    watch: &Watch,
    mut visit: impl FnMut(Vec<String>, u64) -> Result<()>,
) -> Result<()> {
    let fields = [ContactField::PhoneNumber, ContactField::WhatsappId];
    for part in contacts.chunks(STRETCH) {
        let (mut numbers, mut without) = (Vec::with_capacity(part.len()), 0);
        scan::by_ids(tx, list, part, &fields, watch, &mut |_, row| {
            let before = numbers.len();
            for at in [scan::FIRST_COLUMN, scan::FIRST_COLUMN + 1] {
                let text = scan::text(row, at)?.and_then(|text| std::str::from_utf8(text).ok());
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
pub(crate) fn count_numbers(core: &Core, by: &By, list: &ListId, contacts: &[i64]) -> Result<u64> {
    let watch = by.watch.clone().unwrap_or_default();
    core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let mut all = HashSet::new();
        each_numbers(tx, row, contacts, &watch, |numbers, _| {
            all.extend(numbers);
            Ok(())
        })?;
        Ok(all.len() as u64)
    })
}

/// Opts every number of the contacts out on each channel, whether it is used there or not, for the account or for one
/// asset.
pub(crate) fn of_contacts(
    core: &Core,
    by: &By,
    list: &ListId,
    contacts: &[i64],
    channels: &[Channel],
    asset: Option<&str>,
    reason: &str,
) -> Result<OfContacts> {
    let reason = check_reason(reason)?;
    if channels.is_empty() {
        return Err(Fault::new("channels", "Choose a channel.", Vec::<String>::new()).into());
    }
    let watch = by.watch.clone().unwrap_or_default();
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let (scope, inbound) = match asset {
            None => (Scope::Account, None),
            Some(text) => {
                let (id, number) = scope_of(&AssetNumbers::read(tx)?, text, channels)
                    .map_err(|message| Fault::new("scope", message, text))?;
                (Scope::Asset(id.clone()), Some(Inbound { asset_id: id, number: Some(number) }))
            }
        };
        tx.because(&reason)?;
        tx.expect_rows((contacts.len() * channels.len()) as u64);
        let mut told = OfContacts::default();
        each_numbers(tx, row, contacts, &watch, |numbers, without| {
            told.without_number += without;
            for number in numbers {
                tx.check()?;
                for channel in channels {
                    let (scope, inbound, time) = (scope.clone(), inbound.clone(), core.ctx().now());
                    let (number, channel) = (number.clone(), *channel);
                    let record = OptOut { number, channel, scope, kind: OptOutType::AccountImport, inbound, time };
                    if opt_outs::insert(tx, &record)? { told.added += 1 } else { told.already += 1 }
                }
            }
            Ok(())
        })?;
        if told.added > 0 {
            let name = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
            tx.act(Act::new("grid_opt_out").subject(name).uid(list).count(told.added));
            tx.log(Change::bulk(Noun::OptOut, Action::Created, told.added));
            told.step = Some(tx.step());
        }
        Ok::<_, Error>(told)
    })
}
