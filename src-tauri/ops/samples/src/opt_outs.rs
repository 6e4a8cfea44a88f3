//! Adds opt-outs of every kind, on both channels and in both scopes.

use std::collections::HashSet;

use rand::{Rng, rngs::StdRng};
use roost_model::{
    asset::Asset,
    channel::Channel,
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
};
use roost_ops::error::Result;
use roost_store::tables::opt_outs;

use super::{
    SampleBuilder,
    people::{SamplePerson, one_of},
};

const COUNT: usize = 150;
const DAYS: i64 = 200;

pub(super) fn fill_opt_outs(maker: &SampleBuilder, assets: &[Asset]) -> Result<u64> {
    let mut chance = maker.part_rng(20);
    let mut taken = HashSet::new();
    let mut made: Vec<OptOut> = Vec::with_capacity(COUNT);
    while made.len() < COUNT {
        let record = make_opt_out(maker, &mut chance, assets);
        if taken.insert((record.number.clone(), record.channel, record.scope.clone())) {
            made.push(record);
        }
    }
    // Insert in order of time, because later queries resolve ties by this order.
    made.sort_by_key(|record| record.time);
    for record in &made {
        opt_outs::replace(maker.tx, record)?;
    }
    Ok(COUNT as u64)
}

fn make_opt_out(maker: &SampleBuilder, chance: &mut StdRng, assets: &[Asset]) -> OptOut {
    let person: &SamplePerson = one_of(chance, &maker.people);
    let channel = if person.has_whatsapp && chance.random_bool(0.5) { Channel::WhatsApp } else { Channel::Sms };
    let own: Vec<&Asset> = assets.iter().filter(|asset| asset.channel == channel).collect();
    let kind = match chance.random_range(0..10) {
        0..5 => OptOutType::Keyword,
        5..7 => OptOutType::WebOptOut,
        7..9 => OptOutType::AccountImport,
        _ => OptOutType::ApiImport,
    };
    let asset = one_of(chance, &own);
    // The asset that received a keyword decides the scope of the opt-out. Other kinds have the scope with which they
    // were created.
    let is_account = match kind {
        OptOutType::Keyword => asset.enforce_account_level_opt_outs,
        OptOutType::WebOptOut | OptOutType::AccountImport => true,
        OptOutType::ApiImport => chance.random_bool(0.5),
    };
    let inbound = InboundAsset { asset_id: asset.id.clone(), number: Some(asset.number.clone()) };
    OptOut {
        number: person.number.clone(),
        channel,
        scope: if is_account { OptOutRecordScope::Account } else { OptOutRecordScope::Asset(asset.id.clone()) },
        kind,
        inbound: (kind == OptOutType::Keyword || !is_account).then_some(inbound),
        time: maker.ago(chance.random_range(0..DAYS), chance.random_range(7 * 3_600..23 * 3_600)),
    }
}
