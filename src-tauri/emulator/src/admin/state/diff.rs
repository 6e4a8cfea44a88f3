//! What differs between two snapshots, or between one and what is there now, or the seed.

use roost_ops::{
    Image, Resource,
    diff::{self, Alone, Ask, Delta, Diff},
};
use roost_wire::{Query, query::parse_integer};
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
    let query = Query::parse(&asked.query);
    let limit = match query.filled("limit") {
        None => USUAL,
        Some(text) => parse_integer(text)
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| *n <= MOST)
            .ok_or_else(|| Refused::bad_query(format!("limit must be an integer from 0 to {MOST}.")))?,
    };
    let ignored = diff::ignored(query.first("ignore").unwrap_or_default());
    let mut ignored = ignored.map_err(|why| Refused::bad_query(format!("ignore: {why}.")))?;
    if [from, to].iter().any(|side| side.starts_with(MOMENT)) {
        // Jobs are not remembered as they were.
        ignored.extend(diff::ignored("jobs").unwrap_or_default());
    }
    let ask = Ask { own_base: visit.rules.short_base.clone(), ignored, limit: limit as usize };
    let found = diff::between(&side(visit, from)?, &side(visit, to)?, &ask)?;
    Ok(told(from, to, &found))
}

/// Precedes the number of a request.
const MOMENT: char = '@';

/// A snapshot by name, `now`, `seed`, or `@` and the number of a request.
fn side(visit: &Visit, name: &str) -> Result<Image, Refused> {
    match name {
        name if name.starts_with(MOMENT) => moment::image_at(visit, moment::number(&name[1..])?),
        "now" => Ok(visit.core().image()?),
        "seed" => visit.world().seed().ok_or_else(|| NotReset::NoSeed.into()),
        name => Ok(visit.world().snapshots.get(name).ok_or_else(|| unknown(name))?.state.image.clone()),
    }
}

fn told(from: &str, to: &str, found: &Diff) -> StateDiff {
    let of = |resource| ResourceDiff::from(found.of(resource));
    let sum = |count: fn(&Delta) -> u64| found.deltas.iter().map(count).sum();
    StateDiff {
        from: from.to_owned(),
        to: to.to_owned(),
        is_empty: found.is_empty(),
        added: sum(|delta| delta.added.count),
        removed: sum(|delta| delta.removed.count),
        changed: sum(|delta| delta.changed.count),
        resources: Resources {
            senders: of(Resource::Senders),
            assets: of(Resource::Assets),
            custom_fields: of(Resource::CustomFields),
            lists: of(Resource::Lists),
            contacts: of(Resource::Contacts),
            opt_outs: of(Resource::OptOuts),
            short_links: of(Resource::ShortLinks),
            jobs: of(Resource::Jobs),
        },
    }
}

impl From<&Delta> for ResourceDiff {
    fn from(delta: &Delta) -> Self {
        let alone = |record: &Alone| Record { key: record.key.clone(), fields: record.fields.clone() };
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
