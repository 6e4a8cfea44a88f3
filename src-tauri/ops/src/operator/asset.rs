//! Acts on inbound assets; all of them belong to the operator's side.

use roost_model::{
    asset::{Asset, DEFAULT_KEYWORDS, check_keyword, check_number, same_keyword},
    channel::Channel,
    error::Fault,
    id::AssetId,
    phone::without_separators,
    sender::{Sender, check_name},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{assets, opt_outs, senders, steps::Act},
    tx::WriteTx,
};

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
    sender,
};

pub fn all(core: &Core) -> Result<Vec<Asset>> {
    core.read(|tx| Ok(assets::all(tx)?))
}

pub fn get(core: &Core, id: &AssetId) -> Result<Asset> {
    core.read(|tx| assets::get(tx, id)?.or_not_found(Noun::Asset, id))
}

/// An asset, and how many opt-outs are for it alone, and how many it is behind in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetInUse {
    pub asset: Asset,
    pub opt_outs: u64,
    pub received: u64,
}

pub fn all_in_use(core: &Core) -> Result<Vec<AssetInUse>> {
    core.read(|tx| {
        let all = assets::all(tx)?.into_iter().map(|asset| {
            let (opt_outs, received) = opt_outs::of_asset(tx, &asset.id)?;
            Ok(AssetInUse { asset, opt_outs, received })
        });
        all.collect()
    })
}

/// Adds an asset. Buying a long SMS number also makes its numeric sender, where its form allows one and none has it.
pub fn add(core: &Core, by: &By, channel: Channel, number: &str) -> Result<Asset> {
    add_told(core, by, channel, number).map(|(asset, _)| asset)
}

/// The same, with the sender that came along.
pub fn add_told(core: &Core, by: &By, channel: Channel, number: &str) -> Result<(Asset, Option<Sender>)> {
    let number = check_number(channel, number)?;
    core.write(by, |tx| {
        if assets::number_is_taken(tx, channel, &number)? {
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
        tx.act(Act::new("asset_add").subject(number.as_str()).uid(&asset.id));
        tx.log(Change::one(Noun::Asset, Action::Created, &asset.id));
        let mut made = None;
        if channel == Channel::Sms
            && let Some(name) = number.strip_prefix('+')
            && let Ok(kind) = check_name(name)
            && !senders::name_is_taken(tx, name)?
        {
            made = Some(sender::add(core, tx, name, kind)?);
        }
        Ok((asset, made))
    })
}

/// Removes an asset; the opt-outs it received stay.
pub fn remove(core: &Core, by: &By, id: &AssetId) -> Result<()> {
    core.write(by, |tx| {
        let asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        go(tx, &asset)
    })
}

/// What stays and what goes when an asset is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssetRemoved {
    pub opt_outs_kept: u64,
    pub keywords_gone: u64,
}

/// Removes an asset whose number was typed once more.
pub fn remove_typed(core: &Core, by: &By, id: &AssetId, typed: &str) -> Result<AssetRemoved> {
    core.write(by, |tx| {
        let asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        if without_separators(typed) != asset.number {
            return Err(Fault::new("typed_number", format!("Type {} to remove it.", asset.number), typed).into());
        }
        let (opt_outs_kept, _) = opt_outs::of_asset(tx, id)?;
        go(tx, &asset)?;
        Ok(AssetRemoved { opt_outs_kept, keywords_gone: asset.keywords.len() as u64 })
    })
}

fn go(tx: &WriteTx, asset: &Asset) -> Result<()> {
    assets::delete(tx, &asset.id)?;
    tx.act(Act::new("asset_remove").subject(asset.number.as_str()).uid(&asset.id).into_trash(Noun::Asset));
    tx.log(Change::one(Noun::Asset, Action::Deleted, &asset.id));
    Ok(())
}

pub fn set_enforce(core: &Core, by: &By, id: &AssetId, on: bool) -> Result<Asset> {
    core.write(by, |tx| {
        let mut asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        if asset.enforce_account_level_opt_outs == on {
            return Ok(asset);
        }
        asset.enforce_account_level_opt_outs = on;
        assets::set_enforce(tx, id, on)?;
        tx.act(Act::new("asset_enforce").subject(asset.number.as_str()).uid(id));
        tx.log(Change::one(Noun::Asset, Action::Updated, id));
        Ok(asset)
    })
}

/// Replaces the keywords an asset listens for; equal ones count once.
pub fn set_keywords(core: &Core, by: &By, id: &AssetId, keywords: &[String]) -> Result<Asset> {
    let (kept, faults) = keep_keywords(keywords);
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
        tx.act(Act::new("asset_keywords").subject(asset.number.as_str()).uid(id));
        tx.log(Change::one(Noun::Asset, Action::Updated, id));
        Ok(asset)
    })
}

pub(crate) fn keep_keywords(keywords: &[String]) -> (Vec<String>, Vec<Fault>) {
    let (mut kept, mut faults) = (Vec::<String>::new(), Vec::new());
    for (i, raw) in keywords.iter().enumerate() {
        match check_keyword(raw) {
            Ok(keyword) if kept.iter().any(|k| same_keyword(k, &keyword)) => {}
            Ok(keyword) => kept.push(keyword),
            Err(fault) => faults.push(Fault { path: format!("keywords[{i}]"), ..fault }),
        }
    }
    (kept, faults)
}
