//! Gathers opt-outs by number and channel, each record with its evidence.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use roost_model::{channel::Channel, opt_out::OptOutType};
use roost_reconcile::input::{OptOutAnswer, OptOutChange, OptOutEntry, OptOutGroup, OptOutTarget, RemoteState};
use roost_store::{
    tables::{
        opt_outs::{self, UNKNOWN_ASSET},
        sync::{
            SyncedTable, answers,
            changes::{self, ServiceState, SyncChange},
            local,
        },
    },
    tx::ReadTx,
};

use super::Result;
use crate::cells;

/// The placeholder for an asset that the service does not name.
const UNNAMED_ASSET: &str = "_000000000000000000000000000";

/// The key of an opt-out: its number, its channel, and its asset, which is empty for the whole account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OptOutRecordKey {
    pub number: String,
    pub channel: Channel,
    pub scope: String,
}

impl OptOutRecordKey {
    pub fn parse(id: &str) -> Option<Self> {
        let mut parts = id.splitn(3, ' ');
        let (number, channel, scope) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { number: number.to_owned(), channel: Channel::parse(channel)?, scope: scope.to_owned() })
    }

    pub fn id(&self) -> String {
        format!("{} {} {}", self.number, self.channel.as_str(), self.scope)
    }

    pub fn new(number: &str, channel: Channel, reach: &OptOutTarget) -> Self {
        let scope = match reach {
            OptOutTarget::Account => String::new(),
            OptOutTarget::Asset(asset) => asset.clone(),
            OptOutTarget::Unnamed => format!("{}{}", channel.asset_prefix().trim_end_matches('_'), UNNAMED_ASSET),
        };
        Self { number: number.to_owned(), channel, scope }
    }

    /// Returns the key of the opt-out that blocks a number whose own opt-out has a channel or an asset that this
    /// program does not know.
    pub fn for_unknown_asset(number: &str, channel: Channel) -> Self {
        let scope = format!("{}{UNKNOWN_ASSET}", channel.asset_prefix().trim_end_matches('_'));
        Self { number: number.to_owned(), channel, scope }
    }

    pub fn reach(&self) -> OptOutTarget {
        match self.scope.as_str() {
            "" => OptOutTarget::Account,
            asset if asset.ends_with(UNNAMED_ASSET) || asset.ends_with(UNKNOWN_ASSET) => OptOutTarget::Unnamed,
            asset => OptOutTarget::Asset(asset.to_owned()),
        }
    }
}

/// Returns the part of an opt-out that a merge compares. An unknown type counts as an API import, so that the opt-out
/// stays in force.
pub fn parse_entry(text: &str) -> Option<OptOutEntry> {
    Some(OptOutEntry {
        kind: OptOutType::parse(&cells::cell_text(text, "kind")).unwrap_or(OptOutType::ApiImport),
        time: cells::cell_text(text, "time").parse().ok()?,
    })
}

/// Returns the scopes of the opt-outs of a number, whichever side has them.
pub fn find_scopes(tx: &ReadTx, number: &str, channel: Channel) -> Result<Vec<String>> {
    let mut scopes = opt_outs::read_scopes(tx, number, channel)?;
    let touched = changes::changed_opt_outs(tx, &format!("{number} {}", channel.as_str()))?;
    scopes.extend(touched.iter().filter_map(|id| OptOutRecordKey::parse(id)).map(|one| one.scope));
    scopes.sort();
    scopes.dedup();
    Ok(scopes)
}

/// A person's decisions about opt-outs.
#[derive(Default)]
struct OptOutDecisions {
    held: BTreeSet<String>,
    answers: BTreeMap<String, OptOutAnswer>,
}

impl OptOutDecisions {
    fn read(tx: &ReadTx) -> Result<Self> {
        let stored = answers::read_all::<String>(tx, SyncedTable::OptOuts)?;
        let held = stored.iter().filter(|stored| stored.about == "held").map(|stored| stored.id.clone()).collect();
        let answers =
            stored.into_iter().filter_map(|stored| Some((stored.id, serde_json::from_str(&stored.answer).ok()?)));
        Ok(Self { held, answers: answers.collect() })
    }
}

type TouchedById = BTreeMap<String, SyncChange<String>>;

/// Returns every opt-out of the numbers with a change, because a removal may affect more records than the one it names.
pub(super) fn gather_groups(tx: &ReadTx) -> Result<Vec<OptOutGroup>> {
    let mut groups: BTreeMap<(String, Channel), TouchedById> = BTreeMap::new();
    for one in changes::read_all::<String>(tx, SyncedTable::OptOuts)? {
        if let Some(OptOutRecordKey { number, channel, .. }) = OptOutRecordKey::parse(&one.id) {
            groups.entry((number, channel)).or_default().insert(one.id.clone(), one);
        }
    }
    let decided = OptOutDecisions::read(tx)?;
    groups.into_iter().map(|(key, touched)| build_group(tx, key, touched, &decided)).collect()
}

/// Returns the opt-outs of one number on one channel.
pub fn gather_opt_out_group(tx: &ReadTx, number: &str, channel: Channel) -> Result<OptOutGroup> {
    let mut touched = BTreeMap::new();
    for id in changes::changed_opt_outs(tx, &format!("{number} {}", channel.as_str()))? {
        touched.insert(id.clone(), changes::read_record(tx, SyncedTable::OptOuts, id)?);
    }
    build_group(tx, (number.to_owned(), channel), touched, &OptOutDecisions::read(tx)?)
}

/// Builds the group of a number from the touched records and the other opt-outs of the number.
fn build_group(
    tx: &ReadTx,
    (number, channel): (String, Channel),
    mut touched: TouchedById,
    decided: &OptOutDecisions,
) -> Result<OptOutGroup> {
    for scope in opt_outs::read_scopes(tx, &number, channel)? {
        let id = OptOutRecordKey { number: number.clone(), channel, scope }.id();
        if let Entry::Vacant(place) = touched.entry(id.clone()) {
            place.insert(changes::read_record(tx, SyncedTable::OptOuts, id)?);
        }
    }
    let mut records = Vec::with_capacity(touched.len());
    for (id, one) in touched {
        let Some(key) = OptOutRecordKey::parse(&id) else { continue };
        let entry = |text: Option<&String>| text.and_then(|text| parse_entry(text));
        records.push(OptOutChange {
            reach: key.reach(),
            base: entry(one.base.as_ref()),
            local: entry(one.local.as_ref()),
            remote: match &one.at_service {
                ServiceState::AsAgreed => RemoteState::AsBase,
                ServiceState::Deleted => RemoteState::Gone,
                ServiceState::Changed(text) => parse_entry(text).map_or(RemoteState::AsBase, RemoteState::Is),
            },
            evidence: local::find_removal_event(tx, &number, channel.as_str(), &key.scope)?,
            answer: decided.answers.get(&id).copied(),
            held: decided.held.contains(&id),
        });
    }
    Ok(OptOutGroup { number, channel, records })
}
