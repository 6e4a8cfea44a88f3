//! Contains the acts on opt-outs: those of the interface, those of the operator, and those of a person in the window.

mod add;
mod check;
mod contact_opt_outs;
mod grid;
mod ignored_columns;
mod import;
mod lost;
mod pasted;
mod removal;
mod timeline;

use roost_model::{
    asset::is_same_keyword,
    channel::Channel,
    error::{FieldError, has_length},
    id::AssetId,
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
    page::Page,
    phone::{self, Phone, Region},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    error::StoreError,
    tables::{
        assets,
        opt_outs::{self, Warrant},
    },
    tx::{ActDescription, ReadTx, WriteTx},
};

pub use self::lost::LostOptOut;
pub use self::{add::*, check::*, grid::*, import::*, pasted::*, removal::*, timeline::*};
pub use self::{
    contact_opt_outs::{ContactOptOutSummary, count_numbers, opt_out_contacts},
    ignored_columns::{ContradictingCell, IgnoredColumn},
    lost::{ContactNumbers, collect_lost_opt_outs, keep_lost_opt_outs},
};
pub use roost_model::opt_out::OptOutQuery;

use roost_spelling::number;

use crate::{
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

pub const INVALID_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";
/// Says so where a number may have any spelling.
pub const NOT_A_NUMBER: &str = "This is not a valid number.";

/// The maximum number of characters of a reason.
pub const REASON_MAX: usize = 500;

/// Reads a number as people write it: in E.164 form, with its country code, or as it is dialled in `region`.
pub fn read_number(raw: &str, region: Option<Region>) -> Option<Phone> {
    // Spreadsheets mark a number as text with an apostrophe. A zero in brackets is dialled only within the country.
    let text = raw.trim().trim_start_matches('\'').replace("(0)", "");
    region.and_then(|region| number::read_number(&text, region)).or_else(|| phone::parse_international(&text))
}

/// Returns a reason as it is stored with the events.
pub fn check_reason(raw: &str) -> std::result::Result<String, FieldError> {
    let reason = raw.trim();
    if has_length(reason, 1, REASON_MAX) {
        Ok(reason.to_owned())
    } else {
        Err(FieldError::new("reason", format!("Enter a reason of 1 to {REASON_MAX} characters."), raw))
    }
}

/// Fails if the caller has cancelled a long read.
pub fn check_cancelled(by: &Actor) -> Result<()> {
    match &by.watch {
        Some(watch) if watch.is_cancelled() => Err(StoreError::Cancelled.into()),
        _ => Ok(()),
    }
}

pub fn read_page(core: &Core, query: &OptOutQuery) -> Result<Page<OptOut>> {
    core.read(|tx| Ok(opt_outs::read_page(tx, query)?))
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
pub enum EntryError {
    InvalidChannel,
    InvalidNumber,
    InvalidAsset(String),
    ChannelMismatch,
}

impl EntryError {
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
    pub result: std::result::Result<OptOut, EntryError>,
}

/// Adds opt-outs and checks each separately. An entry replaces an equal record.
pub fn create(core: &Core, by: &Actor, entries: &[OptOutEntry], kind: OptOutType) -> Result<Vec<EntryOutcome>> {
    core.write(by, |tx| {
        let outcomes: Vec<EntryOutcome> =
            entries.iter().map(|entry| create_entry(core, tx, entry, kind)).collect::<Result<_>>()?;
        let created = outcomes.iter().filter(|o| o.result.is_ok()).count();
        let act = ActDescription::new("opt_out_create").with_count(created as u64);
        if let [EntryOutcome { number, result: Ok(_), .. }] = outcomes.as_slice() {
            tx.describe_act(act.with_subject(number.as_str()));
            tx.log_change(ChangeLogEntry::single(Noun::OptOut, ChangeAction::Created, number));
        } else if created > 0 {
            tx.describe_act(act);
            tx.log_change(ChangeLogEntry::many(Noun::OptOut, ChangeAction::Created, kind.as_str(), created as u64));
        }
        Ok(outcomes)
    })
}

fn create_entry(core: &Core, tx: &WriteTx, entry: &OptOutEntry, kind: OptOutType) -> Result<EntryOutcome> {
    let channel = entry.channel.map_or(Some(Channel::Sms), Channel::parse);
    let number = phone::parse_international(entry.number).map(|p| p.e164);
    let result =
        match (channel, &number) {
            (None, _) => Err(EntryError::InvalidChannel),
            (Some(_), None) => Err(EntryError::InvalidNumber),
            (Some(channel), Some(number)) => resolve_scope(tx, channel, entry.asset_id)?.map(|(scope, inbound)| {
                OptOut { number: number.clone(), channel, scope, kind, inbound, time: core.ctx().now() }
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

type ResolvedScope = std::result::Result<(OptOutRecordScope, Option<InboundAsset>), EntryError>;

fn resolve_scope(tx: &ReadTx, channel: Channel, asset_id: Option<&str>) -> Result<ResolvedScope> {
    let Some(text) = asset_id else { return Ok(Ok((OptOutRecordScope::Account, None))) };
    let Ok(id) = AssetId::parse(text) else { return Ok(Err(EntryError::InvalidAsset(text.to_owned()))) };
    if id.channel() != channel {
        return Ok(Err(EntryError::ChannelMismatch));
    }
    Ok(match assets::get(tx, &id)? {
        Some(asset) => {
            Ok((OptOutRecordScope::Asset(id.clone()), Some(InboundAsset { asset_id: id, number: Some(asset.number) })))
        }
        None => Err(EntryError::InvalidAsset(text.to_owned())),
    })
}

/// A request of the interface to remove records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutRemovalRequest<'a> {
    /// The numbers as submitted.
    pub numbers: &'a [String],
    /// The channel, or `None` for both.
    pub channel: Option<Channel>,
    /// The asset whose records are removed. If `None`, every record of the number on the channel is removed.
    pub asset: Option<&'a AssetId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalError {
    InvalidNumber,
    NotOnChannel(Channel),
    NotOnAnyChannel,
    NotForAsset,
}

impl RemovalError {
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
    pub result: std::result::Result<u32, RemovalError>,
}

/// Removes the opt-outs of each number in turn. If a number occurs twice, the second removes nothing.
pub fn delete(core: &Core, by: &Actor, removal: &OptOutRemovalRequest) -> Result<Vec<RemovalOutcome>> {
    let channel = removal.asset.map(AssetId::channel).or(removal.channel);
    core.write(by, |tx| {
        let mut removed = 0;
        let mut outcomes = Vec::with_capacity(removal.numbers.len());
        for raw in removal.numbers {
            let Some(phone) = phone::parse_international(raw) else {
                outcomes.push(RemovalOutcome { number: raw.clone(), result: Err(RemovalError::InvalidNumber) });
                continue;
            };
            let records = opt_outs::with_warrant(tx, Warrant::requested_by_interface(), |door| {
                door.delete(&phone.e164, channel, removal.asset)
            })?;
            removed += u64::from(records);
            outcomes.push(if records > 0 {
                RemovalOutcome { number: phone.e164, result: Ok(records) }
            } else {
                let fault = match (removal.asset, channel) {
                    (Some(_), _) => RemovalError::NotForAsset,
                    (None, Some(channel)) => RemovalError::NotOnChannel(channel),
                    (None, None) => RemovalError::NotOnAnyChannel,
                };
                RemovalOutcome { number: raw.clone(), result: Err(fault) }
            });
        }
        if removed > 0 {
            let subject = outcomes.iter().find(|o| o.result.is_ok()).map_or_else(String::new, |o| o.number.clone());
            tx.describe_act(
                ActDescription::new("opt_out_delete")
                    .with_subject(subject.as_str())
                    .with_count(removed)
                    .into_trash(Noun::OptOut),
            );
            tx.log_change(ChangeLogEntry::many(Noun::OptOut, ChangeAction::Deleted, subject, removed));
        }
        Ok(outcomes)
    })
}

/// Adds the opt-out of a person who used a web form. It always applies to the whole account.
pub fn add_web_opt_out(core: &Core, by: &Actor, number: &str, channel: Channel) -> Result<OptOut> {
    let phone = phone::parse_international(number).ok_or_else(|| FieldError::new("number", INVALID_NUMBER, number))?;
    let record = OptOut {
        number: phone.e164,
        channel,
        scope: OptOutRecordScope::Account,
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
pub fn opt_out_by_message(core: &Core, by: &Actor, from: &str, asset: &AssetId, text: &str) -> Result<Option<OptOut>> {
    Ok(match handle_inbound_message(core, by, from, asset, text)? {
        InboundOutcome::OptedOut { record, .. } => Some(record),
        InboundOutcome::NoKeyword | InboundOutcome::InvalidNumber => None,
    })
}

/// Handles an inbound message and returns the full outcome.
pub fn handle_inbound_message(
    core: &Core,
    by: &Actor,
    from: &str,
    asset: &AssetId,
    text: &str,
) -> Result<InboundOutcome> {
    core.write(by, |tx| {
        let asset = assets::get(tx, asset)?.or_not_found(Noun::Asset, asset)?;
        let Some(phone) = phone::parse_international(from) else { return Ok(InboundOutcome::InvalidNumber) };
        let Some(keyword) = asset.keywords.iter().find(|keyword| is_same_keyword(keyword, text)).cloned() else {
            return Ok(InboundOutcome::NoKeyword);
        };
        let scope = if asset.enforce_account_level_opt_outs {
            OptOutRecordScope::Account
        } else {
            OptOutRecordScope::Asset(asset.id.clone())
        };
        let was_opted_out = opt_outs::exists(tx, &phone.e164, asset.channel, &scope)?;
        let record = OptOut {
            number: phone.e164,
            channel: asset.channel,
            scope,
            kind: OptOutType::Keyword,
            inbound: Some(InboundAsset { asset_id: asset.id, number: Some(asset.number) }),
            time: core.ctx().now(),
        };
        tx.set_reason(&format!("{keyword} received"))?;
        let record = add_record(tx, record, "asset_inbound")?;
        Ok(InboundOutcome::OptedOut { record, keyword, was_opted_out })
    })
}

fn add_record(tx: &WriteTx, record: OptOut, act: &'static str) -> Result<OptOut> {
    opt_outs::replace(tx, &record)?;
    tx.describe_act(ActDescription::new(act).with_subject(record.number.as_str()));
    tx.log_change(ChangeLogEntry::single(Noun::OptOut, ChangeAction::Created, &record.number));
    Ok(record)
}
