//! Gathers opt-outs by number and channel, each record with its evidence.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use roost_model::{channel::Channel, opt_out::OptOutType};
use roost_reconcile::input::{OptOutAnswer, OptOutChange, OptOutEntry, OptOutGroup, Reach, Seen};
use roost_store::{
    tables::{
        opt_outs::{self, UNKNOWN_ASSET},
        sync::{
            Place, answers,
            changes::{self, There, Touched},
            local,
        },
    },
    tx::ReadTx,
};

use super::Result;
use crate::cells;

/// The placeholder for an asset that the service does not name.
const UNNAMED: &str = "_000000000000000000000000000";

/// The key of an opt-out: its number, its channel, and its asset, which is empty for the whole account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    pub number: String,
    pub channel: Channel,
    pub scope: String,
}

impl Standing {
    pub fn parse(id: &str) -> Option<Self> {
        let mut parts = id.splitn(3, ' ');
        let (number, channel, scope) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { number: number.to_owned(), channel: Channel::parse(channel)?, scope: scope.to_owned() })
    }

    pub fn id(&self) -> String {
        format!("{} {} {}", self.number, self.channel.as_str(), self.scope)
    }

    pub fn new(number: &str, channel: Channel, reach: &Reach) -> Self {
        let scope = match reach {
            Reach::Account => String::new(),
            Reach::Asset(asset) => asset.clone(),
            Reach::Unnamed => format!("{}{}", channel.asset_prefix().trim_end_matches('_'), UNNAMED),
        };
        Self { number: number.to_owned(), channel, scope }
    }

    /// Returns the key of the opt-out that blocks a number whose own opt-out has a channel or an asset that this
    /// program does not know.
    pub fn of_unknown(number: &str, channel: Channel) -> Self {
        let scope = format!("{}{UNKNOWN_ASSET}", channel.asset_prefix().trim_end_matches('_'));
        Self { number: number.to_owned(), channel, scope }
    }

    pub fn reach(&self) -> Reach {
        match self.scope.as_str() {
            "" => Reach::Account,
            asset if asset.ends_with(UNNAMED) || asset.ends_with(UNKNOWN_ASSET) => Reach::Unnamed,
            asset => Reach::Asset(asset.to_owned()),
        }
    }
}

/// Returns the part of an opt-out that a merge compares. An unknown type counts as an API import, so that the opt-out
/// stays in force.
pub fn entry_of(text: &str) -> Option<OptOutEntry> {
    Some(OptOutEntry {
        kind: OptOutType::parse(&cells::text(text, "kind")).unwrap_or(OptOutType::ApiImport),
        time: cells::text(text, "time").parse().ok()?,
    })
}

/// Returns the scopes of the opt-outs of a number, whichever side has them.
pub fn scopes_of(tx: &ReadTx, number: &str, channel: Channel) -> Result<Vec<String>> {
    let mut scopes = opt_outs::scopes(tx, number, channel)?;
    let touched = changes::opt_outs_of(tx, &format!("{number} {}", channel.as_str()))?;
    scopes.extend(touched.iter().filter_map(|id| Standing::parse(id)).map(|one| one.scope));
    scopes.sort();
    scopes.dedup();
    Ok(scopes)
}

/// A person's decisions about opt-outs.
#[derive(Default)]
struct Decided {
    held: BTreeSet<String>,
    answers: BTreeMap<String, OptOutAnswer>,
}

impl Decided {
    fn read(tx: &ReadTx) -> Result<Self> {
        let told = answers::all::<String>(tx, Place::OptOuts)?;
        let held = told.iter().filter(|told| told.about == "held").map(|told| told.id.clone()).collect();
        let answers = told.into_iter().filter_map(|told| Some((told.id, serde_json::from_str(&told.answer).ok()?)));
        Ok(Self { held, answers: answers.collect() })
    }
}

type TouchedById = BTreeMap<String, Touched<String>>;

/// Returns every opt-out of the numbers with a change, because a removal may affect more records than the one it names.
pub(super) fn groups(tx: &ReadTx) -> Result<Vec<OptOutGroup>> {
    let mut groups: BTreeMap<(String, Channel), TouchedById> = BTreeMap::new();
    for one in changes::all::<String>(tx, Place::OptOuts)? {
        if let Some(Standing { number, channel, .. }) = Standing::parse(&one.id) {
            groups.entry((number, channel)).or_default().insert(one.id.clone(), one);
        }
    }
    let decided = Decided::read(tx)?;
    groups.into_iter().map(|(of, touched)| group_of(tx, of, touched, &decided)).collect()
}

/// Returns the opt-outs of one number on one channel.
pub fn opt_out_group(tx: &ReadTx, number: &str, channel: Channel) -> Result<OptOutGroup> {
    let mut touched = BTreeMap::new();
    for id in changes::opt_outs_of(tx, &format!("{number} {}", channel.as_str()))? {
        touched.insert(id.clone(), changes::one(tx, Place::OptOuts, id)?);
    }
    group_of(tx, (number.to_owned(), channel), touched, &Decided::read(tx)?)
}

/// Builds the group of a number from the touched records and the other opt-outs of the number.
fn group_of(
    tx: &ReadTx,
    (number, channel): (String, Channel),
    mut touched: TouchedById,
    decided: &Decided,
) -> Result<OptOutGroup> {
    for scope in opt_outs::scopes(tx, &number, channel)? {
        let id = Standing { number: number.clone(), channel, scope }.id();
        if let Entry::Vacant(place) = touched.entry(id.clone()) {
            place.insert(changes::one(tx, Place::OptOuts, id)?);
        }
    }
    let mut records = Vec::with_capacity(touched.len());
    for (id, one) in touched {
        let Some(standing) = Standing::parse(&id) else { continue };
        let entry = |text: Option<&String>| text.and_then(|text| entry_of(text));
        records.push(OptOutChange {
            reach: standing.reach(),
            base: entry(one.base.as_ref()),
            local: entry(one.local.as_ref()),
            remote: match &one.there {
                There::AsAgreed => Seen::AsBase,
                There::Gone => Seen::Gone,
                There::Is(text) => entry_of(text).map_or(Seen::AsBase, Seen::Is),
            },
            evidence: local::evidence(tx, &number, channel.as_str(), &standing.scope)?,
            answer: decided.answers.get(&id).copied(),
            held: decided.held.contains(&id),
        });
    }
    Ok(OptOutGroup { number, channel, records })
}
