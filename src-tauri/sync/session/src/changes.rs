//! Lists the local changes, holds them back and discards them.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::{
    id::ListId,
    time::{TimeBound, Timestamp},
};
use roost_ops::{Actor, ActorKind, StoreError};
use roost_reconcile::row::SyncField;
use roost_store::{
    tables::{
        counts::recent,
        sync::{
            SyncedTable,
            changes::{ServiceState, SyncChange},
            screens::{
                self,
                unsent_records::{self as unsent_records, UnsentFilter},
            },
        },
    },
    tx::ReadTx,
};
use roost_sync::{
    account::fields,
    decide::{self, DiscardSummary, RecordKeys},
    gather,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    ChangeCell, ChangeColumn, ChangeFilter, ChangeGroup, ChangeGroupKey, ChangeKindCount, ChangeRow, ChangeSource,
    ChangesPage, ChangesSummary, FieldClash, MAX_LISTS_WITH_DRAFTS, RecordKey, SendRule, Session, SessionError,
    SessionResult, SyncNoun,
    titles::{self, FieldTitles},
};

/// A selection of changes: records by their keys, a node of the tree, a filter, or everything that a step changed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ChangesDiscard"))]
pub struct ChangeSelection {
    pub keys: Option<Vec<RecordKey>>,
    pub group: Option<ChangeGroupKey>,
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub filter: Option<ChangeFilter>,
    pub step: Option<i64>,
}

/// The most keys in one request.
const KEYS_MAX: usize = 10_000;

/// Parses the filter of a request.
fn parse_filter(filter: &ChangeFilter) -> SessionResult<UnsentFilter> {
    let since = match &filter.since {
        None => None,
        Some(text) => Some(
            TimeBound::parse(text)
                .ok_or_else(|| {
                    SessionError::invalid_field(
                        "filter.since",
                        "Write the time as 2026-01-05T09:00:00Z.",
                        text.as_str(),
                    )
                })?
                .at_or_after(),
        ),
    };
    Ok(UnsentFilter {
        text: filter.text.trim().to_owned(),
        field: filter.field.clone(),
        source: filter.source,
        since,
        step: filter.step,
        ..UnsentFilter::default()
    })
}

fn restrict_to_group(group: &ChangeGroupKey, wanted: UnsentFilter) -> UnsentFilter {
    UnsentFilter { kind: group.kind, list: group.list, ..wanted }
}

impl Session {
    /// Returns the tree of changes with its counts.
    pub fn summarize_changes(&self, filter: &ChangeFilter) -> SessionResult<ChangesSummary> {
        let moment = self.state_version();
        if let Some((at, known_filter, summary)) = &self.state().summary
            && *at == moment
            && known_filter == filter
        {
            return Ok(summary.clone());
        }
        let wanted = parse_filter(filter)?;
        let conflicts = self.open_conflicts()?.unanswered_count();
        let summary = self.read(|tx| Ok(build_summary(tx, &wanted, conflicts)?))?;
        self.state().summary = Some((moment, filter.clone(), summary.clone()));
        Ok(summary)
    }

    /// Counts the changed contacts of a list, as the tree does, without building the tree.
    pub fn changes_in_list(&self, list: &ListId) -> SessionResult<u64> {
        self.read(|tx| {
            let Some(list) = screens::find_list(tx, list.as_str())? else { return Ok(0) };
            let wanted = UnsentFilter { list: Some(list), ..UnsentFilter::default() };
            Ok(unsent_records::count_matching(tx, SyncedTable::Contacts, &wanted)?)
        })
    }

    /// Returns a page of the changed records in a node of the tree.
    pub fn change_rows(
        &self,
        group: &ChangeGroupKey,
        filter: &ChangeFilter,
        from: u32,
        count: u32,
    ) -> SessionResult<ChangesPage> {
        let wanted = restrict_to_group(group, parse_filter(filter)?);
        self.read(|tx| {
            let total = unsent_records::count_by_kind(tx, group.noun.to_table(), &wanted)?
                .iter()
                .map(|counted| counted.count)
                .sum();
            let look = RowContext::read(tx)?;
            let rows = unsent_records::read_page(tx, group.noun.to_table(), &wanted, from, count)?;
            let rows: Result<Vec<_>, StoreError> = rows.iter().map(|row| look.build_row(tx, group.noun, row)).collect();
            Ok(ChangesPage { total, rows: rows?.into_iter().flatten().collect() })
        })
    }

    /// Holds changes back or releases them, and returns their number.
    pub fn hold_changes(&self, picked: &ChangeSelection, held: bool) -> SessionResult<u64> {
        let records = self.resolve_selection(picked)?;
        for records in &records {
            decide::hold_records(self.core(), records, held)?;
        }
        self.announce_change();
        Ok(records.iter().map(RecordKeys::len).sum::<usize>() as u64)
    }

    /// Holds every edit of a column back or releases it, and returns their number.
    pub fn hold_column(&self, field: &str, held: bool) -> SessionResult<u64> {
        let field = parse_field(field)?;
        decide::hold_column(self.core(), field, held)?;
        self.announce_change();
        let columns = self.read(|tx| Ok(unsent_records::count_by_column(tx, &UnsentFilter::default())?))?;
        Ok(columns.into_iter().find(|(name, _)| *name == field.name()).map_or(0, |(_, count)| count))
    }

    /// Returns the fields of which nobody has said whether the service means the same by their number.
    pub fn field_clashes(&self) -> SessionResult<Vec<FieldClash>> {
        self.read(|tx| {
            let clashes = fields::open_clashes(tx)?;
            let free = fields::free_number(tx)?;
            let shown = clashes.into_iter();
            Ok(shown
                .map(|(number, fields::FieldClash { label, samples })| FieldClash { number, label, samples, free })
                .collect())
        })
    }

    /// Settles whether a field is the service's, and returns the number to which it was moved if it is not.
    pub fn settle_field_clash(&self, by: &Actor, number: u32, is_same: bool) -> SessionResult<Option<u32>> {
        let moved = decide::settle_clash(self.core(), by, number, is_same)?;
        self.announce_change();
        Ok(moved)
    }

    /// Discards local changes as one step that can be undone.
    pub fn discard_changes(&self, by: &Actor, picked: &ChangeSelection) -> SessionResult<DiscardSummary> {
        let records = self.resolve_selection(picked)?;
        let discarded = decide::discard_changes(self.core(), by, &records)?;
        self.announce_change();
        Ok(discarded)
    }

    /// Resolves the selection to records by kind.
    fn resolve_selection(&self, picked: &ChangeSelection) -> SessionResult<Vec<RecordKeys>> {
        let mut selected: BTreeMap<SyncNoun, Vec<String>> = BTreeMap::new();
        match picked {
            ChangeSelection { keys: Some(keys), group: None, filter: None, step: None } => {
                if keys.len() > KEYS_MAX {
                    let message = format!("Give at most {KEYS_MAX} at once, or a whole group.");
                    return Err(SessionError::invalid_field("keys", message, keys.len()));
                }
                for key in keys {
                    selected.entry(key.noun).or_default().push(key.id.clone());
                }
            }
            ChangeSelection { keys: None, group: Some(group), filter, step: None } => {
                let fitting = filter.as_ref().map_or(Ok(UnsentFilter::default()), parse_filter)?;
                selected.insert(group.noun, self.find_ids(group.noun, &restrict_to_group(group, fitting))?);
            }
            ChangeSelection { keys: None, group: None, filter: Some(filter), step: None } => {
                let fitting = parse_filter(filter)?;
                for noun in SyncNoun::ALL {
                    selected.insert(noun, self.find_ids(noun, &fitting)?);
                }
            }
            ChangeSelection { keys: None, group: None, filter: None, step: Some(step) } => {
                let fitting = UnsentFilter { step: Some(*step), ..UnsentFilter::default() };
                for noun in SyncNoun::ALL {
                    selected.insert(noun, self.find_ids(noun, &fitting)?);
                }
            }
            _ => {
                return Err(SessionError::invalid_field(
                    "keys",
                    "Give keys, or a group, or a filter, or a step.",
                    Value::Null,
                ));
            }
        }
        let selected = selected.into_iter().filter(|(_, ids)| !ids.is_empty());
        selected.map(|(noun, ids)| RecordKeys::parse(noun.to_table(), &ids).ok_or(SessionError::Unknown)).collect()
    }
}

impl Session {
    fn find_ids(&self, noun: SyncNoun, wanted: &UnsentFilter) -> SessionResult<Vec<String>> {
        self.read(|tx| Ok(unsent_records::read_ids(tx, noun.to_table(), wanted)?))
    }
}

pub(super) fn parse_field(name: &str) -> SessionResult<SyncField> {
    SyncField::parse(name).ok_or_else(|| SessionError::invalid_field("field", "The field was not found.", name))
}

/// Counts the changes by kind of record, list, source and column.
fn build_summary(tx: &ReadTx, wanted: &UnsentFilter, conflicts: u64) -> Result<ChangesSummary, StoreError> {
    let mut groups = Vec::new();
    let (mut total, mut held) = (0, 0);
    let mut sources: BTreeMap<&'static str, (ActorKind, u64)> = BTreeMap::new();
    for noun in SyncNoun::ALL {
        let mut of_list: BTreeMap<Option<i64>, Vec<ChangeKindCount>> = BTreeMap::new();
        for counted in unsent_records::count_by_kind(tx, noun.to_table(), wanted)? {
            total += counted.count;
            held += counted.held;
            let kind = ChangeKindCount { kind: counted.kind, count: counted.count, held: counted.held };
            of_list.entry(counted.list).or_default().push(kind);
        }
        for (list, kinds) in of_list {
            let list = match list {
                Some(id) => titles::find_list(tx, id)?,
                None => None,
            };
            groups.push(ChangeGroup { noun, list, kinds });
        }
        for (source, count) in unsent_records::count_by_source(tx, noun.to_table(), wanted)? {
            sources.entry(source.as_str()).or_insert((source, 0)).1 += count;
        }
    }
    let fields = FieldTitles::read(tx)?;
    let held_columns = gather::held_columns(tx)?;
    let mut columns: Vec<ChangeColumn> = unsent_records::count_by_column(tx, wanted)?
        .into_iter()
        .map(|(field, count)| ChangeColumn {
            title: fields.title(&field),
            rule: send_rule(&held_columns, &field),
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
    let (_, refused) = unsent_records::count_waiting(tx)?;
    let sources = sources.into_values().map(|(source, count)| ChangeSource { source, count }).collect();
    let drafts = recent::lists_with_drafts(tx, MAX_LISTS_WITH_DRAFTS)?;
    Ok(ChangesSummary { groups, total, held, refused, conflicts, columns, sources, drafts })
}

fn send_rule(held: &BTreeSet<SyncField>, field: &str) -> SendRule {
    if SyncField::parse(field).is_some_and(|field| held.contains(&field)) { SendRule::Hold } else { SendRule::Send }
}

/// The data that all rows of a page share.
struct RowContext {
    fields: FieldTitles,
    held: BTreeSet<SyncField>,
    clashes: BTreeSet<SyncField>,
}

impl RowContext {
    fn read(tx: &ReadTx) -> Result<Self, StoreError> {
        let clashes = fields::open_clashes(tx)?.into_keys().map(SyncField::Custom).collect();
        Ok(Self { fields: FieldTitles::read(tx)?, held: gather::held_columns(tx)?, clashes })
    }

    fn build_row(
        &self,
        tx: &ReadTx,
        noun: SyncNoun,
        row: &unsent_records::UnsentRow,
    ) -> Result<Option<ChangeRow>, StoreError> {
        let place = noun.to_table();
        let Some(touched) = unsent_records::find_record(tx, place, &row.id)? else { return Ok(None) };
        let SyncChange { list, was_in, uid, base, local, at_service, .. } = touched;
        let origin = unsent_records::read_origin(tx, place, &row.id)?;
        let text = local.as_deref().or(base.as_deref()).unwrap_or("{}");
        let faults = unsent_records::read_refusal_reasons(tx, place, &row.id)?;
        let (list, was_in) = match place {
            SyncedTable::Contacts => (find_known_list(tx, list)?, find_known_list(tx, was_in)?),
            _ => (None, None),
        };
        Ok(Some(ChangeRow {
            key: RecordKey { noun, id: row.id.clone() },
            uid,
            title: titles::record_title(noun, &row.id, text),
            kind: row.kind,
            is_held: row.is_held,
            is_conflict: at_service != ServiceState::AsAgreed,
            faults: faults.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            cells: self.build_cells(noun, base.as_deref(), at_service.cells(), local.as_deref()),
            list,
            was_in,
            source: origin.map(|origin| origin.source),
            at: origin.map(|origin| Timestamp::from_unix(origin.at)),
            step: origin.map(|origin| origin.step),
        }))
    }

    /// Returns the local changes since `agreed`. In a conflict, the value before is the one that the service has now.
    fn build_cells(
        &self,
        noun: SyncNoun,
        agreed: Option<&str>,
        at_service: Option<&str>,
        after: Option<&str>,
    ) -> Vec<ChangeCell> {
        let read = |text: Option<&str>| -> Map<String, Value> {
            text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
        };
        // A record that was deleted locally is deleted at the service with all its columns, held or not.
        let is_sent_by_column = after.is_some() && noun == SyncNoun::Contact;
        let (agreed, after, service) = (read(agreed), read(after), at_service.map(|text| read(Some(text))));
        let text = |row: &Map<String, Value>, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let names: BTreeSet<&String> = agreed.keys().chain(after.keys()).collect();
        let mut names: Vec<(Option<SyncField>, &String)> =
            names.into_iter().map(|name| (SyncField::parse(name), name)).collect();
        // Sort the fields of contacts in the order of the screen.
        names.sort();
        let cell = |(field, name): (Option<SyncField>, &String)| {
            let (agreed, after) = (text(&agreed, name), text(&after, name));
            // If both sides have made the same change, only the agreed value shows it.
            let before = service.as_ref().map(|row| text(row, name)).filter(|now| *now != after);
            (agreed != after).then(|| ChangeCell {
                title: self.fields.title(name),
                is_held: is_sent_by_column && field.is_some_and(|field| self.held.contains(&field)),
                is_clash: is_sent_by_column && field.is_some_and(|field| self.clashes.contains(&field)),
                field: name.clone(),
                before: before.unwrap_or(agreed),
                after,
            })
        };
        names.into_iter().filter_map(cell).collect()
    }
}

fn find_known_list(tx: &ReadTx, id: Option<i64>) -> Result<Option<super::SyncList>, StoreError> {
    id.map_or(Ok(None), |id| titles::find_list(tx, id))
}
