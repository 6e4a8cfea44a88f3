//! Acts on opt-outs: the interface's three, the operator's ways in, and below them what a person does in the window.

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

/// Most characters of a reason.
pub const REASON_MAX: usize = 500;

/// Reads a number as people write it: in E.164, with its country code, or as it is dialled in `region`.
pub fn read_number(raw: &str, region: Option<Region>) -> Option<Phone> {
    // An apostrophe is how spreadsheets keep a number a text; a zero in brackets is dialled only at home.
    let text = raw.trim().trim_start_matches('\'').replace("(0)", "");
    region.and_then(|region| spelling::read_number(&text, region)).or_else(|| phone::parse_international(&text))
}

/// A reason as it is kept in the ledger.
pub fn check_reason(raw: &str) -> std::result::Result<String, Fault> {
    let reason = raw.trim();
    if has_length(reason, 1, REASON_MAX) {
        Ok(reason.to_owned())
    } else {
        Err(Fault::new("reason", format!("Say why, in 1 to {REASON_MAX} characters."), raw))
    }
}

/// Ends a long reading that somebody wants to end.
fn check_watch(by: &By) -> Result<()> {
    match &by.watch {
        Some(watch) if watch.is_cancelled() => Err(StoreError::Cancelled.into()),
        _ => Ok(()),
    }
}

pub fn page(core: &Core, query: &OptOutQuery) -> Result<Page<OptOut>> {
    core.read(|tx| Ok(opt_outs::page(tx, query)?))
}

/// One opt-out as submitted; nothing checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutEntry<'a> {
    pub number: &'a str,
    pub channel: Option<&'a str>,
    pub asset_id: Option<&'a str>,
}

/// Why one entry was not taken.
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

/// What became of one entry. Number and channel are normal where they were valid, else as submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOutcome {
    pub number: String,
    pub channel: String,
    pub result: std::result::Result<OptOut, EntryFault>,
}

/// Adds opt-outs, each judged by itself; one over an equal record replaces it.
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

/// Which records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal<'a> {
    /// As submitted.
    pub numbers: &'a [String],
    /// None: both.
    pub channel: Option<Channel>,
    /// Only the records of this scope; none: every record of the number on the channel.
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

/// What became of one number: normal and how many records went, or as submitted and why none did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalOutcome {
    pub number: String,
    pub result: std::result::Result<u32, RemovalFault>,
}

/// Removes opt-outs number by number; the second of two equal numbers finds nothing.
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

/// Somebody opted out on a web form: always for the whole account.
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

/// What an inbound message did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboundOutcome {
    /// Its sender is opted out now, by this keyword; and was in the same scope before, or not.
    OptedOut {
        record: OptOut,
        keyword: String,
        was_opted_out: bool,
    },
    NoKeyword,
    InvalidNumber,
}

/// A message came in. It opts its sender out when it is one of the asset's keywords; else nothing happens.
pub fn inbound_message(core: &Core, by: &By, from: &str, asset: &AssetId, text: &str) -> Result<Option<OptOut>> {
    Ok(match inbound(core, by, from, asset, text)? {
        InboundOutcome::OptedOut { record, .. } => Some(record),
        InboundOutcome::NoKeyword | InboundOutcome::InvalidNumber => None,
    })
}

/// The same, told in full.
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
