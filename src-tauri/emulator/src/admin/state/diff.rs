//! Compares two states of a world: snapshots, the present state or the seed.

use roost_ops::{
    AccountResource, Image,
    diff::{self, AccountDiff, DiffOptions, ResourceDifferences, UnmatchedRecord},
};
use roost_wire::{QueryString, query::parse_integer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    super::{
        refused::Refused,
        route::{Asked, MOST},
    },
    moment,
    snapshots::unknown,
};
use crate::{door::Visit, world::NotReset};

/// Records returned for each kind of difference by default.
const USUAL: u32 = 100;

#[derive(Serialize, JsonSchema)]
pub struct StateDiff {
    from: String,
    to: String,
    /// Whether there is no difference.
    is_empty: bool,
    /// The full counts over all resources.
    added: u64,
    removed: u64,
    changed: u64,
    resources: Resources,
}

#[derive(Serialize, JsonSchema)]
struct Resources {
    senders: ResourceDiff,
    assets: ResourceDiff,
    custom_fields: ResourceDiff,
    lists: ResourceDiff,
    contacts: ResourceDiff,
    opt_outs: ResourceDiff,
    short_links: ResourceDiff,
    jobs: ResourceDiff,
}

#[derive(Serialize, JsonSchema)]
struct ResourceDiff {
    added: Records,
    removed: Records,
    changed: ChangedRecords,
}

/// Records that are on one side only.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DiffRecords")]
struct Records {
    /// The full count, including records beyond the limit.
    count: u64,
    items: Vec<Record>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DiffRecord")]
struct Record {
    /// The uid, or whatever identifies the record.
    key: String,
    fields: Map<String, Value>,
}

/// Records that are on both sides.
#[derive(Serialize, JsonSchema)]
struct ChangedRecords {
    /// The full count, including records beyond the limit.
    count: u64,
    items: Vec<ChangedRecord>,
}

#[derive(Serialize, JsonSchema)]
struct ChangedRecord {
    /// The uid, or whatever identifies the record.
    key: String,
    /// The fields that differ, by name, each with `before` and `after`.
    fields: Map<String, Value>,
}

pub fn show(visit: &Visit, asked: &Asked) -> Result<StateDiff, Refused> {
    let [from, to] = asked.parameters.as_slice() else { return Err(Refused::internal()) };
    let query = QueryString::parse(&asked.query);
    let limit = match query.filled_value("limit") {
        None => USUAL,
        Some(text) => parse_integer(text)
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| *n <= MOST)
            .ok_or_else(|| Refused::bad_query(format!("limit must be an integer from 0 to {MOST}.")))?,
    };
    let ignored = diff::parse_ignored(query.first_value("ignore").unwrap_or_default());
    let mut ignored = ignored.map_err(|why| Refused::bad_query(format!("ignore: {why}.")))?;
    if [from, to].iter().any(|side| side.starts_with(MOMENT)) {
        // Past states of jobs are not remembered.
        ignored.extend(diff::parse_ignored("jobs").unwrap_or_default());
    }
    let ask = DiffOptions { own_base: visit.rules.short_base.clone(), ignored, limit: limit as usize };
    let found = diff::compare_images(&side(visit, from)?, &side(visit, to)?, &ask)?;
    Ok(told(from, to, &found))
}

/// Precedes the number of a request.
const MOMENT: char = '@';

/// Returns the image of one side: a snapshot by name, `now`, `seed`, or `@` and the number of a request.
fn side(visit: &Visit, name: &str) -> Result<Image, Refused> {
    match name {
        name if name.starts_with(MOMENT) => moment::image_at(visit, moment::number(&name[1..])?),
        "now" => Ok(visit.core().image()?),
        "seed" => visit.world().seed().ok_or_else(|| NotReset::NoSeed.into()),
        name => Ok(visit.world().snapshots.get(name).ok_or_else(|| unknown(name))?.state.image.clone()),
    }
}

fn told(from: &str, to: &str, found: &AccountDiff) -> StateDiff {
    let of = |resource| ResourceDiff::from(found.for_resource(resource));
    let sum = |count: fn(&ResourceDifferences) -> u64| found.deltas.iter().map(count).sum();
    StateDiff {
        from: from.to_owned(),
        to: to.to_owned(),
        is_empty: found.is_empty(),
        added: sum(|delta| delta.added.count),
        removed: sum(|delta| delta.removed.count),
        changed: sum(|delta| delta.changed.count),
        resources: Resources {
            senders: of(AccountResource::Senders),
            assets: of(AccountResource::Assets),
            custom_fields: of(AccountResource::CustomFields),
            lists: of(AccountResource::Lists),
            contacts: of(AccountResource::Contacts),
            opt_outs: of(AccountResource::OptOuts),
            short_links: of(AccountResource::ShortLinks),
            jobs: of(AccountResource::Jobs),
        },
    }
}

impl From<&ResourceDifferences> for ResourceDiff {
    fn from(delta: &ResourceDifferences) -> Self {
        let alone = |record: &UnmatchedRecord| Record { key: record.key.clone(), fields: record.fields.clone() };
        let changed = delta.changed.items.iter();
        Self {
            added: Records { count: delta.added.count, items: delta.added.items.iter().map(alone).collect() },
            removed: Records { count: delta.removed.count, items: delta.removed.items.iter().map(alone).collect() },
            changed: ChangedRecords {
                count: delta.changed.count,
                items: changed.map(|r| ChangedRecord { key: r.key.clone(), fields: r.fields.clone() }).collect(),
            },
        }
    }
}
