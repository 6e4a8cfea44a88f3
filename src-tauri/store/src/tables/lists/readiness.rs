//! Counts how many contacts of a list can be messaged on each channel, and why the others cannot. The readiness filter
//! of the grid (`contacts::grid::filter`) finds the contacts behind each count.

use std::{collections::HashMap, ops::AddAssign};

use roost_model::{asset::Asset, channel::Channel, id::AssetId, readiness::Readiness};
use rusqlite::params;
use serde::Serialize;

use super::ListRow;
use crate::{
    error::{Result, StoreError},
    tables::batch::MatchKey,
    tx::ReadTx,
    watch::Watch,
};

/// Numbers of contacts by readiness. Each contact is counted once, so the numbers add up to the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReadinessCounts {
    pub opted_out: u64,
    pub no_number: u64,
    pub invalid: u64,
    pub landline: u64,
    pub duplicate: u64,
    pub ready: u64,
}

impl ReadinessCounts {
    pub fn count_of(&self, status: Readiness) -> u64 {
        match status {
            Readiness::OptedOut => self.opted_out,
            Readiness::NoNumber => self.no_number,
            Readiness::Invalid => self.invalid,
            Readiness::Landline => self.landline,
            Readiness::Duplicate => self.duplicate,
            Readiness::Ready => self.ready,
        }
    }

    fn add(&mut self, status: Readiness, contacts: u64) {
        *match status {
            Readiness::OptedOut => &mut self.opted_out,
            Readiness::NoNumber => &mut self.no_number,
            Readiness::Invalid => &mut self.invalid,
            Readiness::Landline => &mut self.landline,
            Readiness::Duplicate => &mut self.duplicate,
            Readiness::Ready => &mut self.ready,
        } += contacts;
    }
}

impl AddAssign for ReadinessCounts {
    fn add_assign(&mut self, other: Self) {
        Readiness::ALL.into_iter().for_each(|status| self.add(status, other.count_of(status)));
    }
}

/// The contacts that one asset can message. Opt-outs of other assets do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AssetReadiness {
    pub asset: AssetId,
    /// An E.164 number, or the digits of a short code.
    pub number: String,
    pub counts: ReadinessCounts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChannelReadiness {
    pub channel: Channel,
    /// An opt-out of any asset counts.
    pub counts: ReadinessCounts,
    pub assets: Vec<AssetReadiness>,
}

pub(crate) fn match_key(channel: Channel) -> MatchKey {
    match channel {
        Channel::Sms => MatchKey::Phone,
        Channel::WhatsApp => MatchKey::Whatsapp,
    }
}

/// Returns the field that holds the number for a channel.
pub(crate) fn number_field(channel: Channel) -> &'static str {
    match channel {
        Channel::Sms => "phone_number",
        Channel::WhatsApp => "whatsapp_id",
    }
}

/// Contacts between two checks for cancellation.
const CANCEL_CHECK_CONTACTS: u64 = 1_024;

/// Counts the `contacts` of a list on one channel, for the channel as a whole and for each of its assets.
pub fn count_readiness(
    tx: &ReadTx,
    list: ListRow,
    contacts: u64,
    channel: Channel,
    assets: &[Asset],
    watch: &Watch,
) -> Result<ChannelReadiness> {
    let column = match_key(channel).column();
    let drafts = NumberDrafts::count_drafts(tx, list, channel)?;
    let by_asset = assets.iter().filter(|asset| asset.channel == channel);
    let mut assets: Vec<AssetReadiness> = by_asset
        .map(|Asset { id, number, .. }| AssetReadiness {
            asset: id.clone(),
            number: number.clone(),
            counts: ReadinessCounts::default(),
        })
        .collect();
    assets.sort_by(|a, b| a.number.cmp(&b.number));
    let mut counts = ReadinessCounts::default();
    let sql = format!(
        "SELECT {column}, count(*), (SELECT group_concat(scope) FROM opt_outs WHERE number = {column} AND channel = ?2)
         FROM contacts INDEXED BY contacts_by_{column} WHERE list_id = ?1 AND {column} IS NOT NULL GROUP BY {column}"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let mut rows = statement.query(params![list.0, channel.as_str()])?;
    let (mut with_number, mut looked_at) = (0, 0);
    while let Some(row) = rows.next()? {
        let number = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let contacts = row.get::<_, i64>(1)? as u64;
        // The account's scope is the empty text.
        let scopes = row.get_ref(2)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        let drafts = drafts.by_number.get(number).copied().unwrap_or_default();
        let reached = count_number(number, channel, contacts, drafts);
        let opted_out = ReadinessCounts { opted_out: contacts, ..ReadinessCounts::default() };
        counts += if scopes.is_some() { opted_out } else { reached };
        for AssetReadiness { asset, counts, .. } in &mut assets {
            let is_out =
                scopes.is_some_and(|scopes| scopes.split(',').any(|scope| scope.is_empty() || scope == asset.as_str()));
            *counts += if is_out { opted_out } else { reached };
        }
        with_number += contacts;
        if with_number - looked_at >= CANCEL_CHECK_CONTACTS {
            if watch.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            watch.add_rows(with_number - looked_at);
            looked_at = with_number;
        }
    }
    let without = ReadinessCounts {
        no_number: contacts.saturating_sub(with_number + drafts.without_number),
        invalid: drafts.without_number,
        ..ReadinessCounts::default()
    };
    counts += without;
    assets.iter_mut().for_each(|asset| asset.counts += without);
    Ok(ChannelReadiness { channel, counts, assets })
}

/// Counts the contacts that have one number, apart from opt-outs. The cells of `drafts` of them hold a draft.
fn count_number(number: &str, channel: Channel, contacts: u64, drafts: u64) -> ReadinessCounts {
    let mut counts = ReadinessCounts { invalid: drafts, ..ReadinessCounts::default() };
    let others = contacts - drafts;
    match Readiness::number_problem(number, channel) {
        Some(fault) => counts.add(fault, others),
        None if others > 0 => {
            counts.ready = 1;
            counts.duplicate = others - 1;
        }
        None => {}
    }
    counts
}

/// Number of contacts of a list with a draft in the number of a channel.
#[derive(Default)]
struct NumberDrafts {
    /// Contacts by the number that is stored.
    by_number: HashMap<String, u64>,
    without_number: u64,
}

impl NumberDrafts {
    fn count_drafts(tx: &ReadTx, list: ListRow, channel: Channel) -> Result<Self> {
        let column = match_key(channel).column();
        let sql = format!(
            "SELECT c.{column}, count(*) FROM drafts AS d CROSS JOIN contacts AS c ON c.id = d.contact_id
             WHERE d.field = ?1 AND c.list_id = ?2 GROUP BY c.{column}"
        );
        let mut statement = tx.conn().prepare_cached(&sql)?;
        let mut rows = statement.query(params![number_field(channel), list.0])?;
        let mut drafts = Self::default();
        while let Some(row) = rows.next()? {
            let contacts = row.get::<_, i64>(1)? as u64;
            match row.get(0)? {
                Some(number) => _ = drafts.by_number.insert(number, contacts),
                None => drafts.without_number = contacts,
            }
        }
        Ok(drafts)
    }
}
