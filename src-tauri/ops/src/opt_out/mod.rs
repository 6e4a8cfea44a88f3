//! Contains the acts on opt-outs: those of the interface, those of the operator, and those of a person in the window.

mod add;
mod check;
mod evidence;
mod grid;
mod import;
mod of_contacts;
mod pasted;
mod removal;
mod timeline;

use roost_model::{
    asset::same_keyword,
    channel::Channel,
    error::{Fault, has_length},
    id::AssetId,
    opt_out::{Inbound, OptOut, OptOutType, Scope},
    page::Page,
    phone::{self, Phone, Region},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    error::Error as StoreError,
    tables::{
        assets,
        opt_outs::{self, Warrant},
        steps::Act,
    },
    tx::{ReadTx, WriteTx},
};

pub(crate) use self::of_contacts::{OfContacts, count_numbers, of_contacts};
pub use self::{add::*, check::*, evidence::*, grid::*, import::*, pasted::*, removal::*, timeline::*};
pub use roost_store::tables::opt_outs::OptOutQuery;

use crate::{
    core::{By, Core},
    error::{OrNotFound, Result},
    files::import::number::spelling,
};

pub const INVALID_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";

/// The maximum number of characters of a reason.
pub const REASON_MAX: usize = 500;

/// Reads a number as people write it: in E.164 form, with its country code, or as it is dialled in `region`.
pub fn read_number(raw: &str, region: Option<Region>) -> Option<Phone> {
    // Spreadsheets mark a number as text with an apostrophe. A zero in brackets is dialled only within the country.
    let text = raw.trim().trim_start_matches('\'').replace("(0)", "");
    region.and_then(|region| spelling::read_number(&text, region)).or_else(|| phone::parse_international(&text))
}

/// Returns a reason as it is stored with the events.
pub fn check_reason(raw: &str) -> std::result::Result<String, Fault> {
    let reason = raw.trim();
    if has_length(reason, 1, REASON_MAX) {
        Ok(reason.to_owned())
    } else {
        Err(Fault::new("reason", format!("Say why, in 1 to {REASON_MAX} characters."), raw))
    }
}

/// Fails if the caller has cancelled a long read.
fn check_watch(by: &By) -> Result<()> {
    match &by.watch {
        Some(watch) if watch.is_cancelled() => Err(StoreError::Cancelled.into()),
        _ => Ok(()),
    }
}

pub fn page(core: &Core, query: &OptOutQuery) -> Result<Page<OptOut>> {
    core.read(|tx| Ok(opt_outs::page(tx, query)?))
}

/// An opt-out as submitted, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutEntry<'a> {
    pub number: &'a str,
    pub channel: Option<&'a str>,
    pub asset_id: Option<&'a str>,
}

/// The reason why an entry was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryFault {
    InvalidChannel,
    InvalidNumber,
    InvalidAsset(String),
    ChannelMismatch,
}

impl EntryFault {
    pub fn message(&self) -> String {
        match self {
            Self::InvalidChannel => "Invalid channel. Must be SMS or WHATSAPP.".to_owned(),
            Self::InvalidNumber => INVALID_NUMBER.to_owned(),
            Self::InvalidAsset(id) => format!("Invalid asset ID: {id}"),
            Self::ChannelMismatch => {
                "Channel mismatch: the specified asset does not match the requested channel".to_owned()
            }
        }
    }
}

/// The outcome of one entry. Valid numbers and channels are in their stored form, others as submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOutcome {
    pub number: String,
    pub channel: String,
    pub result: std::result::Result<OptOut, EntryFault>,
}

/// Adds opt-outs and checks each separately. An entry replaces an equal record.
pub fn create(core: &Core, by: &By, entries: &[OptOutEntry], kind: OptOutType) -> Result<Vec<EntryOutcome>> {
    core.write(by, |tx| {
        let outcomes: Vec<EntryOutcome> =
            entries.iter().map(|entry| create_one(core, tx, entry, kind)).collect::<Result<_>>()?;
        let created = outcomes.iter().filter(|o| o.result.is_ok()).count();
        let act = Act::new("opt_out_create").count(created as u64);
        if let [EntryOutcome { number, result: Ok(_), .. }] = outcomes.as_slice() {
            tx.act(act.subject(number.as_str()));
            tx.log(Change::one(Noun::OptOut, Action::Created, number));
        } else if created > 0 {
            tx.act(act);
            tx.log(Change::many(Noun::OptOut, Action::Created, kind.as_str(), created as u64));
        }
        Ok(outcomes)
    })
}

fn create_one(core: &Core, tx: &WriteTx, entry: &OptOutEntry, kind: OptOutType) -> Result<EntryOutcome> {
    let channel = entry.channel.map_or(Some(Channel::Sms), Channel::parse);
    let number = phone::parse_international(entry.number).map(|p| p.e164);
    let result = match (channel, &number) {
        (None, _) => Err(EntryFault::InvalidChannel),
        (Some(_), None) => Err(EntryFault::InvalidNumber),
        (Some(channel), Some(number)) => scope_of(tx, channel, entry.asset_id)?.map(|(scope, inbound)| OptOut {
            number: number.clone(),
            channel,
            scope,
            kind,
            inbound,
            time: core.ctx().now(),
        }),
    };
    if let Ok(record) = &result {
        opt_outs::replace(tx, record)?;
    }
    Ok(EntryOutcome {
        number: number.unwrap_or_else(|| entry.number.to_owned()),
        channel: channel.map_or(entry.channel.unwrap_or_default(), |c| c.as_str()).to_owned(),
        result,
    })
}

type ScopeOf = std::result::Result<(Scope, Option<Inbound>), EntryFault>;

fn scope_of(tx: &ReadTx, channel: Channel, asset_id: Option<&str>) -> Result<ScopeOf> {
    let Some(text) = asset_id else { return Ok(Ok((Scope::Account, None))) };
    let Ok(id) = AssetId::parse(text) else { return Ok(Err(EntryFault::InvalidAsset(text.to_owned()))) };
    if id.channel() != channel {
        return Ok(Err(EntryFault::ChannelMismatch));
    }
    Ok(match assets::get(tx, &id)? {
        Some(asset) => Ok((Scope::Asset(id.clone()), Some(Inbound { asset_id: id, number: Some(asset.number) }))),
        None => Err(EntryFault::InvalidAsset(text.to_owned())),
    })
}

/// A request of the interface to remove records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal<'a> {
    /// The numbers as submitted.
    pub numbers: &'a [String],
    /// The channel, or `None` for both.
    pub channel: Option<Channel>,
    /// The asset whose records are removed. If `None`, every record of the number on the channel is removed.
    pub asset: Option<&'a AssetId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalFault {
    InvalidNumber,
    NotOnChannel(Channel),
    NotOnAnyChannel,
    NotForAsset,
}

impl RemovalFault {
    pub fn message(&self) -> String {
        match self {
            Self::InvalidNumber => INVALID_NUMBER.to_owned(),
            Self::NotOnChannel(channel) => format!("Number not found on the {} channel.", channel.as_str()),
            Self::NotOnAnyChannel => "Number not found on any channel.".to_owned(),
            Self::NotForAsset => "Number not found for the specified asset.".to_owned(),
        }
    }
}

/// The outcome for one number: the stored form and the number of removed records, or the submitted form and the reason
/// why none was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalOutcome {
    pub number: String,
    pub result: std::result::Result<u32, RemovalFault>,
}

/// Removes the opt-outs of each number in turn. If a number occurs twice, the second removes nothing.
pub fn delete(core: &Core, by: &By, removal: &Removal) -> Result<Vec<RemovalOutcome>> {
    let channel = removal.asset.map(AssetId::channel).or(removal.channel);
    core.write(by, |tx| {
        let mut gone = 0;
        let mut outcomes = Vec::with_capacity(removal.numbers.len());
        for raw in removal.numbers {
            let Some(phone) = phone::parse_international(raw) else {
                outcomes.push(RemovalOutcome { number: raw.clone(), result: Err(RemovalFault::InvalidNumber) });
                continue;
            };
            let records = opt_outs::with_warrant(tx, Warrant::requested_by_interface(), |door| {
                door.delete(&phone.e164, channel, removal.asset)
            })?;
            gone += u64::from(records);
            outcomes.push(if records > 0 {
                RemovalOutcome { number: phone.e164, result: Ok(records) }
            } else {
                let fault = match (removal.asset, channel) {
                    (Some(_), _) => RemovalFault::NotForAsset,
                    (None, Some(channel)) => RemovalFault::NotOnChannel(channel),
                    (None, None) => RemovalFault::NotOnAnyChannel,
                };
                RemovalOutcome { number: raw.clone(), result: Err(fault) }
            });
        }
        if gone > 0 {
            let of = outcomes.iter().find(|o| o.result.is_ok()).map_or_else(String::new, |o| o.number.clone());
            tx.act(Act::new("opt_out_delete").subject(of.as_str()).count(gone).into_trash(Noun::OptOut));
            tx.log(Change::many(Noun::OptOut, Action::Deleted, of, gone));
        }
        Ok(outcomes)
    })
}

/// Adds the opt-out of a person who used a web form. It always applies to the whole account.
pub fn web_form(core: &Core, by: &By, number: &str, channel: Channel) -> Result<OptOut> {
    let phone = phone::parse_international(number).ok_or_else(|| Fault::new("number", INVALID_NUMBER, number))?;
    let record = OptOut {
        number: phone.e164,
        channel,
        scope: Scope::Account,
        kind: OptOutType::WebOptOut,
        inbound: None,
        time: core.ctx().now(),
    };
    core.write(by, |tx| add_record(tx, record, "opt_out_web"))
}

/// The outcome of an inbound message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboundOutcome {
    /// The sender is now opted out by this keyword. `was_opted_out` shows whether the same opt-out existed before.
    OptedOut {
        record: OptOut,
        keyword: String,
        was_opted_out: bool,
    },
    NoKeyword,
    InvalidNumber,
}

/// Handles an inbound message. It opts its sender out if its text is one of the asset's keywords.
pub fn inbound_message(core: &Core, by: &By, from: &str, asset: &AssetId, text: &str) -> Result<Option<OptOut>> {
    Ok(match inbound(core, by, from, asset, text)? {
        InboundOutcome::OptedOut { record, .. } => Some(record),
        InboundOutcome::NoKeyword | InboundOutcome::InvalidNumber => None,
    })
}

/// Handles an inbound message and returns the full outcome.
pub fn inbound(core: &Core, by: &By, from: &str, asset: &AssetId, text: &str) -> Result<InboundOutcome> {
    core.write(by, |tx| {
        let asset = assets::get(tx, asset)?.or_not_found(Noun::Asset, asset)?;
        let Some(phone) = phone::parse_international(from) else { return Ok(InboundOutcome::InvalidNumber) };
        let Some(keyword) = asset.keywords.iter().find(|keyword| same_keyword(keyword, text)).cloned() else {
            return Ok(InboundOutcome::NoKeyword);
        };
        let scope = if asset.enforce_account_level_opt_outs { Scope::Account } else { Scope::Asset(asset.id.clone()) };
        let was_opted_out = opt_outs::exists(tx, &phone.e164, asset.channel, &scope)?;
        let record = OptOut {
            number: phone.e164,
            channel: asset.channel,
            scope,
            kind: OptOutType::Keyword,
            inbound: Some(Inbound { asset_id: asset.id, number: Some(asset.number) }),
            time: core.ctx().now(),
        };
        tx.because(&format!("{keyword} received"))?;
        let record = add_record(tx, record, "asset_inbound")?;
        Ok(InboundOutcome::OptedOut { record, keyword, was_opted_out })
    })
}

fn add_record(tx: &WriteTx, record: OptOut, act: &'static str) -> Result<OptOut> {
    opt_outs::replace(tx, &record)?;
    tx.act(Act::new(act).subject(record.number.as_str()));
    tx.log(Change::one(Noun::OptOut, Action::Created, &record.number));
    Ok(record)
}
