//! Lists the local changes, holds them back and discards them.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::{
    id::ListId,
    time::{TimeBound, Timestamp},
};
use roost_ops::{By, Source, StoreError};
use roost_reconcile::row::Field;
use roost_store::{
    tables::sync::{
        Place,
        changes::{There, Touched},
        screens::{
            self,
            changes::{self as found, Kind, Wanted},
        },
    },
    tx::ReadTx,
};
use serde_json::{Map, Value};

use super::{
    Answer, ChangeCell, ChangeColumn, ChangeFilter, ChangeGroup, ChangeGroupKey, ChangeKind, ChangeKindCount,
    ChangeRow, ChangeSource, ChangesPage, ChangesSummary, RecordKey, Refusal, SendRule, Session, SyncNoun,
    titles::{self, Fields},
};
use crate::{
    decide::{self, Discarded, Records},
    gather,
};

/// A selection of changes: records by their keys, a node of the tree, a filter, or everything that a step changed.
#[derive(Debug, Clone, Default)]
pub struct Picked {
    pub keys: Option<Vec<RecordKey>>,
    pub group: Option<ChangeGroupKey>,
    pub filter: Option<ChangeFilter>,
    pub step: Option<i64>,
}

/// The most keys in one request.
const KEYS_MAX: usize = 10_000;

fn kind_of(kind: Kind) -> ChangeKind {
    match kind {
        Kind::New => ChangeKind::New,
        Kind::Changed => ChangeKind::Changed,
        Kind::Moved => ChangeKind::Moved,
        Kind::Deleted => ChangeKind::Deleted,
    }
}

/// Parses the filter of a request.
fn wanted(filter: &ChangeFilter) -> Answer<Wanted> {
    let since = match &filter.since {
        None => None,
        Some(text) => Some(
            TimeBound::parse(text)
                .ok_or_else(|| {
                    Refusal::fault("filter.since", "Times are written as 2026-01-05T09:00:00Z.", text.as_str())
                })?
                .at_or_after(),
        ),
    };
    Ok(Wanted {
        text: filter.text.trim().to_owned(),
        field: filter.field.clone(),
        source: filter.source,
        since,
        step: filter.step,
        ..Wanted::default()
    })
}

fn of_group(group: &ChangeGroupKey, wanted: Wanted) -> Wanted {
    let kind = group.kind.map(|kind| match kind {
        ChangeKind::New => Kind::New,
        ChangeKind::Changed => Kind::Changed,
        ChangeKind::Moved => Kind::Moved,
        ChangeKind::Deleted => Kind::Deleted,
    });
    Wanted { kind, list: group.list, ..wanted }
}

impl Session {
    /// Returns the tree of changes with its counts.
    pub fn changes(&self, filter: &ChangeFilter) -> Answer<ChangesSummary> {
        let moment = self.moment();
        if let Some((at, of, summary)) = &self.state().summary
            && *at == moment
            && of == filter
        {
            return Ok(summary.clone());
        }
        let wanted = wanted(filter)?;
        let conflicts = self.disputes()?.unanswered();
        let summary = self.read(|tx| Ok(summary(tx, &wanted, conflicts)?))?;
        self.state().summary = Some((moment, filter.clone(), summary.clone()));
        Ok(summary)
    }

    /// Counts the changed contacts of a list, as the tree does, without building the tree.
    pub fn changes_in_list(&self, list: &ListId) -> Answer<u64> {
        self.read(|tx| {
            let Some(list) = screens::list_of_uid(tx, list.as_str())? else { return Ok(0) };
            let wanted = Wanted { list: Some(list), ..Wanted::default() };
            Ok(found::count_wanted(tx, Place::Contacts, &wanted)?)
        })
    }

    /// Returns a page of the changed records in a node of the tree.
    pub fn change_rows(
        &self,
        group: &ChangeGroupKey,
        filter: &ChangeFilter,
        from: u32,
        count: u32,
    ) -> Answer<ChangesPage> {
        let wanted = of_group(group, wanted(filter)?);
        self.read(|tx| {
            let total = found::counts(tx, group.noun.place(), &wanted)?.iter().map(|counted| counted.count).sum();
            let look = Look::of(tx)?;
            let rows = found::page(tx, group.noun.place(), &wanted, from, count)?;
            let rows: Result<Vec<_>, StoreError> = rows.iter().map(|row| look.row(tx, group.noun, row)).collect();
            Ok(ChangesPage { total, rows: rows?.into_iter().flatten().collect() })
        })
    }

    /// Holds changes back or releases them, and returns their number.
    pub fn hold(&self, picked: &Picked, held: bool) -> Answer<u64> {
        let records = self.picked(picked)?;
        for records in &records {
            decide::held(self.core(), records, held)?;
        }
        self.moved();
        Ok(records.iter().map(Records::len).sum::<usize>() as u64)
    }

    /// Holds every edit of a column back or releases it, and returns their number.
    pub fn hold_column(&self, field: &str, held: bool) -> Answer<u64> {
        let field = field_of(field)?;
        decide::hold_column(self.core(), field, held)?;
        self.moved();
        let columns = self.read(|tx| Ok(found::columns(tx, &Wanted::default())?))?;
        Ok(columns.into_iter().find(|(name, _)| *name == field.name()).map_or(0, |(_, count)| count))
    }

    /// Discards local changes as one step that can be undone.
    pub fn discard(&self, by: &By, picked: &Picked) -> Answer<Discarded> {
        let records = self.picked(picked)?;
        let discarded = decide::discard(self.core(), by, &records)?;
        self.moved();
        Ok(discarded)
    }

    /// Resolves the selection to records by kind.
    fn picked(&self, picked: &Picked) -> Answer<Vec<Records>> {
        let mut of: BTreeMap<SyncNoun, Vec<String>> = BTreeMap::new();
        match picked {
            Picked { keys: Some(keys), group: None, filter: None, step: None } => {
                if keys.len() > KEYS_MAX {
                    let told = format!("Give at most {KEYS_MAX} at once, or a whole group.");
                    return Err(Refusal::fault("keys", told, keys.len()));
                }
                for key in keys {
                    of.entry(key.noun).or_default().push(key.id.clone());
                }
            }
            Picked { keys: None, group: Some(group), filter, step: None } => {
                let fitting = filter.as_ref().map_or(Ok(Wanted::default()), wanted)?;
                of.insert(group.noun, self.ids(group.noun, &of_group(group, fitting))?);
            }
            Picked { keys: None, group: None, filter: Some(filter), step: None } => {
                let fitting = wanted(filter)?;
                for noun in SyncNoun::ALL {
                    of.insert(noun, self.ids(noun, &fitting)?);
                }
            }
            Picked { keys: None, group: None, filter: None, step: Some(step) } => {
                let fitting = Wanted { step: Some(*step), ..Wanted::default() };
                for noun in SyncNoun::ALL {
                    of.insert(noun, self.ids(noun, &fitting)?);
                }
            }
            _ => return Err(Refusal::fault("keys", "Give keys, or a group, or a filter, or a step.", Value::Null)),
        }
        let of = of.into_iter().filter(|(_, ids)| !ids.is_empty());
        of.map(|(noun, ids)| Records::parse(noun.place(), &ids).ok_or(Refusal::Unknown)).collect()
    }
}

impl Session {
    fn ids(&self, noun: SyncNoun, wanted: &Wanted) -> Answer<Vec<String>> {
        self.read(|tx| Ok(found::ids(tx, noun.place(), wanted)?))
    }
}

pub(super) fn field_of(name: &str) -> Answer<Field> {
    Field::parse(name).ok_or_else(|| Refusal::fault("field", "There is no such field.", name))
}

/// Counts the changes by kind of record, list, source and column.
fn summary(tx: &ReadTx, wanted: &Wanted, conflicts: u64) -> Result<ChangesSummary, StoreError> {
    let mut groups = Vec::new();
    let (mut total, mut held) = (0, 0);
    let mut sources: BTreeMap<&'static str, (Source, u64)> = BTreeMap::new();
    for noun in SyncNoun::ALL {
        let mut of_list: BTreeMap<Option<i64>, Vec<ChangeKindCount>> = BTreeMap::new();
        for counted in found::counts(tx, noun.place(), wanted)? {
            total += counted.count;
            held += counted.held;
            let kind = ChangeKindCount { kind: kind_of(counted.kind), count: counted.count, held: counted.held };
            of_list.entry(counted.list).or_default().push(kind);
        }
        for (list, kinds) in of_list {
            let list = match list {
                Some(id) => titles::list(tx, id)?,
                None => None,
            };
            groups.push(ChangeGroup { noun, list, kinds });
        }
        for (source, count) in found::sources(tx, noun.place(), wanted)? {
            sources.entry(source.as_str()).or_insert((source, 0)).1 += count;
        }
    }
    let fields = Fields::of(tx)?;
    let held_columns = gather::held_columns(tx)?;
    let mut columns: Vec<ChangeColumn> = found::columns(tx, wanted)?
        .into_iter()
        .map(|(field, count)| ChangeColumn {
            title: fields.title(&field),
            rule: rule(&held_columns, &field),
            field,
            count,
        })
        .collect();
    // List a held column even if it has no changes.
    for field in &held_columns {
        let field = field.name().into_owned();
        if columns.iter().all(|column| column.field != field) {
            columns.push(ChangeColumn { title: fields.title(&field), field, count: 0, rule: SendRule::Hold });
        }
    }
    let (_, refused) = found::waiting(tx)?;
    let sources = sources.into_values().map(|(source, count)| ChangeSource { source, count }).collect();
    Ok(ChangesSummary { groups, total, held, refused, conflicts, columns, sources })
}

fn rule(held: &BTreeSet<Field>, field: &str) -> SendRule {
    if Field::parse(field).is_some_and(|field| held.contains(&field)) { SendRule::Hold } else { SendRule::Send }
}

/// The data that all rows of a page share.
struct Look {
    fields: Fields,
    held: BTreeSet<Field>,
}

impl Look {
    fn of(tx: &ReadTx) -> Result<Self, StoreError> {
        Ok(Self { fields: Fields::of(tx)?, held: gather::held_columns(tx)? })
    }

    fn row(&self, tx: &ReadTx, noun: SyncNoun, row: &found::Row) -> Result<Option<ChangeRow>, StoreError> {
        let place = noun.place();
        let Some(touched) = found::touched(tx, place, &row.id)? else { return Ok(None) };
        let Touched { list, was_in, uid, base, local, there, .. } = touched;
        let origin = found::origin_of(tx, place, &row.id)?;
        let text = local.as_deref().or(base.as_deref()).unwrap_or("{}");
        let faults = found::faults(tx, place, &row.id)?;
        let (list, was_in) = match place {
            Place::Contacts => (known_list(tx, list)?, known_list(tx, was_in)?),
            _ => (None, None),
        };
        Ok(Some(ChangeRow {
            key: RecordKey { noun, id: row.id.clone() },
            uid,
            title: titles::record(noun, &row.id, text),
            kind: kind_of(row.kind),
            is_held: row.is_held,
            is_conflict: there != There::AsAgreed,
            faults: faults.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            cells: self.cells(noun, base.as_deref(), local.as_deref()),
            list,
            was_in,
            source: origin.map(|origin| origin.source),
            at: origin.map(|origin| Timestamp::from_unix(origin.at)),
            step: origin.map(|origin| origin.step),
        }))
    }

    fn cells(&self, noun: SyncNoun, before: Option<&str>, after: Option<&str>) -> Vec<ChangeCell> {
        let read = |text: Option<&str>| -> Map<String, Value> {
            text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
        };
        // A record that was deleted locally is deleted at the service with all its columns, held or not.
        let is_kept = after.is_some();
        let (before, after) = (read(before), read(after));
        let text = |row: &Map<String, Value>, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let mut names: Vec<(Option<Field>, &String)> =
            names.into_iter().map(|name| (Field::parse(name), name)).collect();
        // Sort the fields of contacts in the order of the screen.
        names.sort();
        let cell = |(field, name): (Option<Field>, &String)| {
            let (before, after) = (text(&before, name), text(&after, name));
            (before != after).then(|| ChangeCell {
                title: self.fields.title(name),
                is_held: is_kept && noun == SyncNoun::Contact && field.is_some_and(|field| self.held.contains(&field)),
                field: name.clone(),
                before,
                after,
            })
        };
        names.into_iter().filter_map(cell).collect()
    }
}

fn known_list(tx: &ReadTx, id: Option<i64>) -> Result<Option<super::SyncList>, StoreError> {
    id.map_or(Ok(None), |id| titles::list(tx, id))
}
