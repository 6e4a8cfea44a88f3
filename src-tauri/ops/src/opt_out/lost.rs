//! Finds the opt-outs that a person loses when a contact gets another number: the person asked not to be messaged, and
//! the new number may be messaged all the same.

use roost_model::{
    channel::Channel,
    contact::{Contact, ContactField},
    id::AssetId,
};
use roost_store::{
    tables::{assets, opt_outs},
    tx::ReadTx,
};
use serde::{Deserialize, Serialize};

use crate::{core::Core, error::Result};

/// An opt-out of a person's former number that the person's new number does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LostOptOut {
    /// The number on which the person opted out.
    pub opted_out: String,
    /// The number that may be messaged now.
    pub number: String,
    pub channel: Channel,
    /// The asset of the opt-out. Null if it holds for the whole account.
    pub asset: Option<String>,
}

/// The numbers of a contact: one for SMS and one for WhatsApp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactNumbers {
    pub phone: Option<String>,
    pub whatsapp: Option<String>,
}

impl ContactNumbers {
    pub fn from_contact(contact: &Contact) -> Self {
        let number = |phone: &Option<roost_model::phone::Phone>| phone.as_ref().map(|phone| phone.e164.clone());
        Self { phone: number(&contact.phone), whatsapp: number(&contact.whatsapp) }
    }

    /// Returns the numbers among values of fields.
    pub fn from_values<'v>(values: impl Iterator<Item = (&'v ContactField, &'v Option<String>)>) -> Self {
        let mut numbers = Self::default();
        for (field, value) in values {
            numbers.set(*field, value.as_deref());
        }
        numbers
    }

    /// Sets the number that a field holds. Other fields are ignored.
    pub fn set(&mut self, field: ContactField, value: Option<&str>) {
        match field {
            ContactField::PhoneNumber => self.phone = value.map(str::to_owned),
            ContactField::WhatsappId => self.whatsapp = value.map(str::to_owned),
            _ => {}
        }
    }

    fn used_on(&self, channel: Channel) -> Option<&str> {
        match channel {
            Channel::Sms => self.phone.as_deref(),
            Channel::WhatsApp => self.whatsapp.as_deref(),
        }
    }
}

/// Adds to `lost` the opt-outs that a person had before, in one or several contacts, and lacks after. A number that such a
/// contact had on the channel already loses nothing.
pub fn collect_lost_opt_outs(
    tx: &ReadTx,
    before: &[ContactNumbers],
    after: &ContactNumbers,
    lost: &mut Vec<LostOptOut>,
) -> Result<()> {
    let start = lost.len();
    for (before, channel) in before.iter().flat_map(|one| [(one, Channel::Sms), (one, Channel::WhatsApp)]) {
        let Some(number) = after.used_on(channel).filter(|number| before.used_on(channel) != Some(number)) else {
            continue;
        };
        for former in [&before.phone, &before.whatsapp].into_iter().flatten().filter(|former| *former != number) {
            let had = opt_outs::read_scopes(tx, former, channel)?;
            if had.is_empty() {
                continue;
            }
            let has = opt_outs::read_scopes(tx, number, channel)?;
            let is_account = |scopes: &[String]| scopes.iter().any(String::is_empty);
            if is_account(&has) {
                continue;
            }
            let had = if is_account(&had) { vec![String::new()] } else { had };
            for scope in had.into_iter().filter(|scope| !has.contains(scope)) {
                let asset = known_asset(tx, scope)?;
                let one = LostOptOut { opted_out: former.clone(), number: number.to_owned(), channel, asset };
                let is_known = |other: &LostOptOut| {
                    (&other.number, other.channel, &other.asset) == (&one.number, one.channel, &one.asset)
                };
                if !lost[start..].iter().any(is_known) {
                    lost.push(one);
                }
            }
        }
    }
    Ok(())
}

/// Keeps those that are still lost: the former number is opted out, and the new one is in a list and may be messaged.
pub fn keep_lost_opt_outs(core: &Core, known: Vec<LostOptOut>) -> Result<Vec<LostOptOut>> {
    core.read(|tx| {
        let numbers: Vec<&str> = known.iter().map(|one| one.number.as_str()).collect();
        let in_lists = opt_outs::grid::count_lists_with(tx, &numbers)?;
        let mut lost = Vec::new();
        for one in known.into_iter().filter(|one| in_lists.contains_key(&one.number)) {
            if is_lost(tx, &one)? {
                lost.push(one);
            }
        }
        Ok(lost)
    })
}

fn is_lost(tx: &ReadTx, one: &LostOptOut) -> Result<bool> {
    let had = opt_outs::read_scopes(tx, &one.opted_out, one.channel)?;
    let has = opt_outs::read_scopes(tx, &one.number, one.channel)?;
    let is_out = |scopes: &[String]| {
        scopes.iter().any(|scope| scope.is_empty() || one.asset.as_ref().is_some_and(|asset| asset == scope))
    };
    // An asset that the account does not have stands for the whole account.
    Ok((is_out(&had) || one.asset.is_none() && !had.is_empty()) && !is_out(&has))
}

/// Returns the asset of a stored scope. An asset that the account does not have stands for the whole account.
fn known_asset(tx: &ReadTx, scope: String) -> Result<Option<String>> {
    let Ok(id) = AssetId::parse(&scope) else { return Ok(None) };
    Ok(assets::get(tx, &id)?.map(|_| scope))
}
