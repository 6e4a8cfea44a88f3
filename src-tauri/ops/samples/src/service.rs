//! Adds the records of the service other than lists: custom fields, senders in both states, inbound assets.

use roost_model::{
    asset::Asset,
    channel::Channel,
    custom_field::CustomField,
    id::{AssetId, SenderId},
    sender::{Sender, SenderStatus},
};
use roost_ops::error::Result;
use roost_store::tables::{assets, custom_fields, senders};

use super::{SampleBuilder, numbers::OWN};

/// The labels of the custom fields. The first three exist in every account.
pub(super) const FIELDS: [&str; 6] = ["Customer number", "Branch", "Source", "Membership", "Last visit", "Language"];

const SENDERS: [(&str, SenderStatus); 6] = [
    ("CornerShop", SenderStatus::Verified),
    ("ShopNews", SenderStatus::Verified),
    ("Open Day", SenderStatus::Verified),
    ("447700900990", SenderStatus::Verified),
    ("ShopAlerts", SenderStatus::Pending),
    ("VIP-Club", SenderStatus::Pending),
];

pub(super) fn fill_custom_fields(maker: &SampleBuilder) -> Result<Vec<u32>> {
    let there = custom_fields::defined_numbers(maker.tx)?;
    for (number, label) in (1..).zip(FIELDS) {
        if there.contains(&number) {
            custom_fields::rename(maker.tx, number, label)?;
        } else {
            custom_fields::insert(maker.tx, &CustomField { number, label: label.to_owned() })?;
        }
    }
    Ok(custom_fields::defined_numbers(maker.tx)?)
}

pub(super) fn fill_senders(maker: &SampleBuilder) -> Result<u64> {
    let ids = maker.part_ids(10);
    for ((name, status), days) in SENDERS.into_iter().zip([300, 280, 120, 90, 6, 2]) {
        let id = SenderId::new(ids.ksuid(maker.ago(days, 36_000)));
        senders::insert(maker.tx, &Sender { id, name: name.to_owned(), status })?;
    }
    Ok(SENDERS.len() as u64)
}

pub(super) fn fill_assets(maker: &SampleBuilder) -> Result<Vec<Asset>> {
    let ids = maker.part_ids(11);
    let made = [
        (Channel::Sms, OWN[0], true, &["STOP", "UNSUBSCRIBE", "QUIT"][..]),
        (Channel::Sms, OWN[1], false, &["STOP", "NO MORE"][..]),
        (Channel::WhatsApp, OWN[2], false, &["STOP", "END", "UNSUBSCRIBE"][..]),
    ];
    let made = made.map(|(channel, number, enforce_account_level_opt_outs, keywords)| Asset {
        id: AssetId::new(channel, ids.ksuid(maker.ago(200, 36_000))),
        channel,
        number: number.to_owned(),
        enforce_account_level_opt_outs,
        keywords: keywords.iter().map(|&keyword| keyword.to_owned()).collect(),
    });
    for asset in &made {
        assets::insert(maker.tx, asset)?;
    }
    Ok(made.to_vec())
}
