//! Counts how many contacts of a list can be messaged, and why the others cannot.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use roost_model::{channel::Channel, id::ListId, time::Timestamp};
use roost_store::{
    change_log::Noun,
    tables::{assets, lists, lists::readiness},
    watch::Watch,
};
use serde::Serialize;

pub use roost_store::tables::lists::readiness::{AssetReadiness, ChannelReadiness, ReadinessCounts};

use crate::{
    core::Core,
    error::{OrNotFound, Result},
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListReadiness {
    pub contacts: u64,
    /// The time of the count.
    pub at: Timestamp,
    /// The channels in the order of [`Channel::ALL`].
    pub channels: Vec<ChannelReadiness>,
}

/// Counts a list's contacts by readiness. The channels are counted in parallel in one state of the account.
pub fn count_readiness(core: &Core, uid: &ListId, watch: &Arc<Watch>) -> Result<ListReadiness> {
    let next = AtomicUsize::new(0);
    let at = core.ctx().now();
    let scans = core.scan(watch, Channel::ALL.len(), |tx| {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        let contacts = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?.contact_count;
        watch.set_expected(contacts * Channel::ALL.len() as u64);
        let assets = assets::read_all(tx)?;
        let mut counted = Vec::new();
        while let Some(channel) = Channel::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            counted.push(readiness::count_readiness(tx, row, contacts, *channel, &assets, watch)?);
        }
        Ok((contacts, counted))
    })?;
    let contacts = scans.first().map_or(0, |(contacts, _)| *contacts);
    let mut channels: Vec<ChannelReadiness> = scans.into_iter().flat_map(|(_, counted)| counted).collect();
    channels.sort_by_key(|counted| counted.channel);
    Ok(ListReadiness { contacts, at, channels })
}
