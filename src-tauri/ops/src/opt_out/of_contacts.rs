//! Opting the contacts of a selection out: additions only, whoever is opted out already stays as he is.

use roost_model::{
    channel::Channel,
    contact::ContactField,
    error::Fault,
    id::ListId,
    opt_out::{Inbound, OptOut, OptOutType, Scope},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{contacts::grid::scan, lists, opt_outs, steps::Act},
};

use super::{add::scope_of, check_reason, grid::AssetNumbers};
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// What came of opting contacts out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OfContacts {
    pub added: u64,
    /// Opted out in that scope already.
    pub already: u64,
    /// Contacts without a number on any of the channels.
    pub without_number: u64,
    pub step: Option<i64>,
}

/// Contacts read at once.
const STRETCH: usize = 2_000;

/// SMS by the phone number, WhatsApp by the WhatsApp number, for the account or for one asset.
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
        let fields = [ContactField::PhoneNumber, ContactField::WhatsappId];
        let mut told = OfContacts::default();
        for part in contacts.chunks(STRETCH) {
            tx.check()?;
            let mut numbers = Vec::with_capacity(part.len());
            scan::by_ids(tx, row, part, &fields, &watch, &mut |_, row| {
                let before = numbers.len();
                for channel in channels {
                    let at = match channel {
                        Channel::Sms => scan::FIRST_COLUMN,
                        Channel::WhatsApp => scan::FIRST_COLUMN + 1,
                    };
                    let text = scan::text(row, at)?.and_then(|text| std::str::from_utf8(text).ok());
                    numbers.extend(text.map(|number| (number.to_owned(), *channel)));
                }
                told.without_number += u64::from(numbers.len() == before);
                Ok(())
            })?;
            for (number, channel) in numbers {
                tx.check()?;
                let (scope, inbound, time) = (scope.clone(), inbound.clone(), core.ctx().now());
                let record = OptOut { number, channel, scope, kind: OptOutType::AccountImport, inbound, time };
                if opt_outs::insert(tx, &record)? { told.added += 1 } else { told.already += 1 }
            }
        }
        if told.added > 0 {
            let name = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
            tx.act(Act::new("grid_opt_out").subject(name).uid(list).count(told.added));
            tx.log(Change::bulk(Noun::OptOut, Action::Created, told.added));
            told.step = Some(tx.step());
        }
        Ok::<_, Error>(told)
    })
}
