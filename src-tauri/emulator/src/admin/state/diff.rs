//! Compares two states of a world: snapshots, the present state, the seed, or the state when a request was answered.

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
        error::AdminError,
        route::{AdminRequest, MAX_PAGE_SIZE},
    },
    arrangement::{
        ArrangedPart, Arrangement, ArrangementChange, arrangement_at_start, compare_arrangements, describe_arrangement,
        split_ignored,
    },
    past_state,
};
use crate::{door::WorldVisit, work::ResetError, world::WorldHead};

/// The default limit of records for each resource and kind of difference.
const DEFAULT_LIMIT: u32 = 100;

#[derive(Serialize, JsonSchema)]
pub(crate) struct StateDiff {
    from: String,
    to: String,
    /// Whether nothing that was compared differs.
    is_empty: bool,
    /// Added records of all resources, including those beyond the limit.
    added: u64,
    removed: u64,
    changed: u64,
    resources: ResourceDiffs,
    /// What differs besides the records: settings, policies, fault rules, receivers, how the clock runs, and everything
    /// else that is stored, except the time, the next ids, and counts and records of what happened.
    arrangement: Vec<ArrangementChange>,
    /// Resources and parts of the arrangement that were not compared, because their past states are not stored.
    not_compared: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct ResourceDiffs {
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
    added: DiffRecords,
    removed: DiffRecords,
    changed: ChangedRecords,
}

/// Records that exist on one side only.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DiffRecords")]
struct DiffRecords {
    /// The full count, including records beyond the limit.
    count: u64,
    items: Vec<DiffRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DiffRecord")]
struct DiffRecord {
    /// The uid, or another key of a record without one.
    key: String,
    fields: Map<String, Value>,
}

/// Records that exist on both sides and differ.
#[derive(Serialize, JsonSchema)]
struct ChangedRecords {
    /// The full count, including records beyond the limit.
    count: u64,
    items: Vec<ChangedRecord>,
}

#[derive(Serialize, JsonSchema)]
struct ChangedRecord {
    /// The uid, or another key of a record without one.
    key: String,
    /// The fields that differ, by name, each with `before` and `after`.
    fields: Map<String, Value>,
}

pub(crate) fn show_diff(visit: &WorldVisit, request: &AdminRequest) -> Result<StateDiff, AdminError> {
    let [from, to] = request.parameters.as_slice() else { return Err(AdminError::internal()) };
    let query = QueryString::parse(&request.query);
    let limit = match query.filled_value("limit") {
        None => DEFAULT_LIMIT,
        Some(text) => parse_integer(text)
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| *n <= MAX_PAGE_SIZE)
            .ok_or_else(|| AdminError::bad_query(format!("limit must be an integer from 0 to {MAX_PAGE_SIZE}.")))?,
    };
    let (ignored_parts, ignored_names) = split_ignored(query.first_value("ignore").unwrap_or_default());
    let mut ignored_resources = diff::parse_ignored(&ignored_names).map_err(|why| {
        let parts = ArrangedPart::ALL.map(ArrangedPart::as_str).join(", ");
        AdminError::bad_query(format!("ignore: {why}. Besides the resources, it takes these parts: {parts}."))
    })?;
    let mut not_compared = Vec::new();
    let mut arrangement = Vec::new();
    if [from, to].iter().any(|side| side.starts_with(REQUEST_PREFIX)) {
        // Past states of jobs and of the arrangement are not stored.
        ignored_resources.extend(diff::parse_ignored(AccountResource::Jobs.as_str()).unwrap_or_default());
        not_compared.push(AccountResource::Jobs.as_str());
        let parts = ArrangedPart::ALL.into_iter().filter(|part| *part != ArrangedPart::Jobs);
        not_compared.extend(parts.map(ArrangedPart::as_str));
    } else {
        let (before, after) = (arrangement_of_side(visit, from)?, arrangement_of_side(visit, to)?);
        arrangement = compare_arrangements(&before, &after, &ignored_parts);
    }
    let options =
        DiffOptions { default_base: visit.rules.short_base.clone(), ignored: ignored_resources, limit: limit as usize };
    let differences = diff::compare_images(&image_of_side(visit, from)?, &image_of_side(visit, to)?, &options)?;
    Ok(to_state_diff(from, to, &differences, arrangement, not_compared))
}

/// The prefix of a side that is named by a request: `@12` is the state after request 12 was answered.
const REQUEST_PREFIX: char = '@';

/// Returns the image of one side: a snapshot by name, `now`, `seed`, or `@` and the number of a request.
fn image_of_side(visit: &WorldVisit, name: &str) -> Result<Image, AdminError> {
    match name {
        name if name.starts_with(REQUEST_PREFIX) => {
            past_state::image_at(visit, past_state::parse_request_number(&name[1..])?)
        }
        "now" => Ok(visit.core().image()?),
        "seed" => visit.world().seed().ok_or_else(|| ResetError::NoSeed.into()),
        name => {
            Ok(visit.world().snapshots.get(name).ok_or_else(|| AdminError::unknown_snapshot(name))?.state.image.clone())
        }
    }
}

/// Returns what is arranged on one side: in a snapshot, now, or, for `seed`, at the start.
fn arrangement_of_side(visit: &WorldVisit, name: &str) -> Result<Arrangement, AdminError> {
    Ok(match name {
        "now" => describe_arrangement(&WorldHead::capture(visit.world(), &visit.core())),
        "seed" => arrangement_at_start(visit.world()),
        name => {
            let snapshot = visit.world().snapshots.get(name).ok_or_else(|| AdminError::unknown_snapshot(name))?;
            describe_arrangement(&snapshot.state.head)
        }
    })
}

fn to_state_diff(
    from: &str,
    to: &str,
    differences: &AccountDiff,
    arrangement: Vec<ArrangementChange>,
    not_compared: Vec<&'static str>,
) -> StateDiff {
    let diff_of = |resource| ResourceDiff::from(differences.for_resource(resource));
    let sum = |count: fn(&ResourceDifferences) -> u64| differences.deltas.iter().map(count).sum();
    StateDiff {
        from: from.to_owned(),
        to: to.to_owned(),
        is_empty: differences.is_empty() && arrangement.is_empty(),
        added: sum(|delta| delta.added.count),
        removed: sum(|delta| delta.removed.count),
        changed: sum(|delta| delta.changed.count),
        resources: ResourceDiffs {
            senders: diff_of(AccountResource::Senders),
            assets: diff_of(AccountResource::Assets),
            custom_fields: diff_of(AccountResource::CustomFields),
            lists: diff_of(AccountResource::Lists),
            contacts: diff_of(AccountResource::Contacts),
            opt_outs: diff_of(AccountResource::OptOuts),
            short_links: diff_of(AccountResource::ShortLinks),
            jobs: diff_of(AccountResource::Jobs),
        },
        arrangement,
        not_compared,
    }
}

impl From<&ResourceDifferences> for ResourceDiff {
    fn from(delta: &ResourceDifferences) -> Self {
        let to_record =
            |record: &UnmatchedRecord| DiffRecord { key: record.key.clone(), fields: record.fields.clone() };
        let changed = delta.changed.items.iter();
        Self {
            added: DiffRecords { count: delta.added.count, items: delta.added.items.iter().map(to_record).collect() },
            removed: DiffRecords {
                count: delta.removed.count,
                items: delta.removed.items.iter().map(to_record).collect(),
            },
            changed: ChangedRecords {
                count: delta.changed.count,
                items: changed.map(|r| ChangedRecord { key: r.key.clone(), fields: r.fields.clone() }).collect(),
            },
        }
    }
}
