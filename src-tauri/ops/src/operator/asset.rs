//! Contains the acts on inbound assets, all of which belong to the operator.

use roost_model::{
    asset::{Asset, DEFAULT_KEYWORDS, check_keyword, check_number, is_same_keyword},
    channel::Channel,
    error::FieldError,
    id::AssetId,
    phone::without_separators,
    sender::{Sender, check_name},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{assets, opt_outs, senders},
    tx::{ActDescription, WriteTx},
};
use serde::Serialize;

use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    sender,
};

pub fn read_all(core: &Core) -> Result<Vec<Asset>> {
    core.read(|tx| Ok(assets::read_all(tx)?))
}

pub fn get(core: &Core, id: &AssetId) -> Result<Asset> {
    core.read(|tx| assets::get(tx, id)?.or_not_found(Noun::Asset, id))
}

/// An asset, the number of opt-outs for it alone, and the number of opt-outs that it received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "AssetItem"))]
pub struct AssetInUse {
    #[serde(flatten)]
    pub asset: Asset,
    /// Opt-outs that hold for this asset alone. They stay when the asset is removed.
    pub opt_outs: u64,
    /// Opt-outs that this asset received, including those that hold for the whole account.
    pub received: u64,
}

pub fn read_all_in_use(core: &Core) -> Result<Vec<AssetInUse>> {
    core.read(|tx| {
        let all = assets::read_all(tx)?.into_iter().map(|asset| {
            let (opt_outs, received) = opt_outs::count_by_asset(tx, &asset.id)?;
            Ok(AssetInUse { asset, opt_outs, received })
        });
        all.collect()
    })
}

/// Adds an asset. A long SMS number also creates a numeric sender, if its form allows one and no sender has that name.
pub fn add(core: &Core, by: &Actor, channel: Channel, number: &str) -> Result<Asset> {
    add_with_sender(core, by, channel, number).map(|(asset, _)| asset)
}

/// Adds an asset and also returns the sender that was created.
pub fn add_with_sender(core: &Core, by: &Actor, channel: Channel, number: &str) -> Result<(Asset, Option<Sender>)> {
    let number = check_number(channel, number)?;
    core.write(by, |tx| {
        if assets::is_number_taken(tx, channel, &number)? {
            return Err(Error::conflict(format!("The account already has an asset {number} on {}.", channel.as_str())));
        }
        let asset = Asset {
            id: AssetId::new(channel, core.ctx().ksuid(core.ctx().now())),
            channel,
            number: number.clone(),
            enforce_account_level_opt_outs: false,
            keywords: DEFAULT_KEYWORDS.map(str::to_owned).to_vec(),
        };
        assets::insert(tx, &asset)?;
        tx.describe_act(ActDescription::new("asset_add").with_subject(number.as_str()).with_uid(&asset.id));
        tx.log_change(ChangeLogEntry::single(Noun::Asset, ChangeAction::Created, &asset.id));
        let mut made = None;
        if channel == Channel::Sms
            && let Some(name) = number.strip_prefix('+')
            && let Ok(kind) = check_name(name)
            && !senders::is_name_taken(tx, name)?
        {
            made = Some(sender::insert_sender(core, tx, name, kind)?);
        }
        Ok((asset, made))
    })
}

/// Removes an asset. The opt-outs that it received stay.
pub fn remove(core: &Core, by: &Actor, id: &AssetId) -> Result<()> {
    core.write(by, |tx| {
        let asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        move_to_trash(tx, &asset)
    })
}

/// The consequences of removing an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AssetRemoved {
    pub opt_outs_kept: u64,
    pub keywords_gone: u64,
}

/// Removes an asset if its number was typed correctly.
pub fn remove_typed(core: &Core, by: &Actor, id: &AssetId, typed: &str) -> Result<AssetRemoved> {
    core.write(by, |tx| {
        let asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        if without_separators(typed) != asset.number {
            return Err(FieldError::new("typed_number", format!("Type {} to remove it.", asset.number), typed).into());
        }
        let (opt_outs_kept, _) = opt_outs::count_by_asset(tx, id)?;
        move_to_trash(tx, &asset)?;
        Ok(AssetRemoved { opt_outs_kept, keywords_gone: asset.keywords.len() as u64 })
    })
}

fn move_to_trash(tx: &WriteTx, asset: &Asset) -> Result<()> {
    assets::delete(tx, &asset.id)?;
    tx.describe_act(
        ActDescription::new("asset_remove")
            .with_subject(asset.number.as_str())
            .with_uid(&asset.id)
            .into_trash(Noun::Asset),
    );
    tx.log_change(ChangeLogEntry::single(Noun::Asset, ChangeAction::Deleted, &asset.id));
    Ok(())
}

pub fn set_enforce(core: &Core, by: &Actor, id: &AssetId, on: bool) -> Result<Asset> {
    core.write(by, |tx| {
        let mut asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        if asset.enforce_account_level_opt_outs == on {
            return Ok(asset);
        }
        asset.enforce_account_level_opt_outs = on;
        assets::set_enforcement(tx, id, on)?;
        tx.describe_act(ActDescription::new("asset_enforce").with_subject(asset.number.as_str()).with_uid(id));
        tx.log_change(ChangeLogEntry::single(Noun::Asset, ChangeAction::Updated, id));
        Ok(asset)
    })
}

/// Replaces the keywords to which an asset reacts. Equal ones count once.
pub fn set_keywords(core: &Core, by: &Actor, id: &AssetId, keywords: &[String]) -> Result<Asset> {
    let (kept, faults) = check_keywords(keywords);
    if !faults.is_empty() {
        return Err(Error::Invalid { faults });
    }
    core.write(by, |tx| {
        let mut asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        if asset.keywords == kept {
            return Ok(asset);
        }
        assets::set_keywords(tx, id, &kept)?;
        asset.keywords = kept;
        tx.describe_act(ActDescription::new("asset_keywords").with_subject(asset.number.as_str()).with_uid(id));
        tx.log_change(ChangeLogEntry::single(Noun::Asset, ChangeAction::Updated, id));
        Ok(asset)
    })
}

pub(crate) fn check_keywords(keywords: &[String]) -> (Vec<String>, Vec<FieldError>) {
    let (mut kept, mut faults) = (Vec::<String>::new(), Vec::new());
    for (i, raw) in keywords.iter().enumerate() {
        match check_keyword(raw) {
            Ok(keyword) if kept.iter().any(|k| is_same_keyword(k, &keyword)) => {}
            Ok(keyword) => kept.push(keyword),
            Err(fault) => faults.push(FieldError { path: format!("keywords[{i}]"), ..fault }),
        }
    }
    (kept, faults)
}
