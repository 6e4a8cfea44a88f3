//! Acts on inbound assets; all of them belong to the operator's side.

use roost_model::{
    asset::{Asset, DEFAULT_KEYWORDS, check_keyword, check_number, same_keyword},
    channel::Channel,
    error::Fault,
    id::AssetId,
    sender::check_name,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{assets, senders},
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

/// Adds an asset. Buying a long SMS number also makes its numeric sender, where its form allows one and none has it.
pub fn add(core: &Core, by: &By, channel: Channel, number: &str) -> Result<Asset> {
    let number = check_number(channel, number)?;
    core.write(by, |tx| {
        if assets::number_is_taken(tx, channel, &number)? {
            return Err(Error::conflict(format!("The account has an asset {number} on {} already.", channel.as_str())));
        }
        let asset = Asset {
            id: AssetId::new(channel, core.ctx().ksuid(core.ctx().now())),
            channel,
            number: number.clone(),
            enforce_account_level_opt_outs: false,
            keywords: DEFAULT_KEYWORDS.map(str::to_owned).to_vec(),
        };
        assets::insert(tx, &asset)?;
        tx.log(Change::one(Noun::Asset, Action::Created, &asset.id));
        if channel == Channel::Sms
            && let Some(name) = number.strip_prefix('+')
            && let Ok(kind) = check_name(name)
            && !senders::name_is_taken(tx, name)?
        {
            sender::add(core, tx, name, kind)?;
        }
        Ok(asset)
    })
}

/// Removes an asset; the opt-outs it received stay.
pub fn remove(core: &Core, by: &By, id: &AssetId) -> Result<()> {
    core.write(by, |tx| {
        assets::delete(tx, id)?.or_not_found(Noun::Asset, id)?;
        tx.log(Change::one(Noun::Asset, Action::Deleted, id));
        Ok(())
    })
}

pub fn set_enforce(core: &Core, by: &By, id: &AssetId, on: bool) -> Result<Asset> {
    core.write(by, |tx| {
        let mut asset = assets::get(tx, id)?.or_not_found(Noun::Asset, id)?;
        asset.enforce_account_level_opt_outs = on;
        assets::set_enforce(tx, id, on)?;
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
        assets::set_keywords(tx, id, &kept)?;
        asset.keywords = kept;
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
