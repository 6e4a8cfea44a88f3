//! Acts on opt-outs: the interface's three, and the operator's ways in.

use roost_model::{
    asset::same_keyword,
    channel::Channel,
    error::Fault,
    id::AssetId,
    opt_out::{Inbound, OptOut, OptOutType, Scope},
    page::Page,
    phone,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{assets, opt_outs},
    tx::{ReadTx, WriteTx},
};

pub use roost_store::tables::opt_outs::OptOutQuery;

use crate::{
    core::{By, Core},
    error::Result,
};

pub const INVALID_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";

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
        if let [EntryOutcome { number, result: Ok(_), .. }] = outcomes.as_slice() {
            tx.log(Change::one(Noun::OptOut, Action::Created, number));
        } else if created > 0 {
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
            let records = opt_outs::delete(tx, &phone.e164, channel, removal.asset)?;
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
    add(core, by, record)
}

/// A message came in. It opts its sender out when it is one of the asset's keywords; else nothing happens.
pub fn inbound_message(core: &Core, by: &By, from: &str, asset: &AssetId, text: &str) -> Result<Option<OptOut>> {
    let asset = crate::asset::get(core, asset)?;
    let Some(phone) = phone::parse_international(from) else { return Ok(None) };
    if !asset.keywords.iter().any(|keyword| same_keyword(keyword, text)) {
        return Ok(None);
    }
    let scope = if asset.enforce_account_level_opt_outs { Scope::Account } else { Scope::Asset(asset.id.clone()) };
    let inbound = Some(Inbound { asset_id: asset.id, number: Some(asset.number) });
    let record = OptOut {
        number: phone.e164,
        channel: asset.channel,
        scope,
        kind: OptOutType::Keyword,
        inbound,
        time: core.ctx().now(),
    };
    add(core, by, record).map(Some)
}

fn add(core: &Core, by: &By, record: OptOut) -> Result<OptOut> {
    core.write(by, |tx| {
        opt_outs::replace(tx, &record)?;
        tx.log(Change::one(Noun::OptOut, Action::Created, &record.number));
        Ok(record)
    })
}
