//! Contains the acts on several lists: merging them, and combining them as sets.

use roost_model::{
    error::FieldError,
    id::ListId,
    list::{List, check_name},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        contacts::{
            clashes::ClashCounter,
            list_view::ContactFilter,
            picked_contacts::{DuplicatePolicy, PickedContacts, TransferCounts, TransferKind},
        },
        custom_fields,
        lists::{self, ListRow, facts},
    },
    tx::{ActDescription, ReadTx},
};

pub use roost_store::tables::{batch::MatchKey, lists::facts::SetOp};
use serde::Serialize;

use super::{insert_empty, log_removed};
use crate::{
    contact::{SendPreview, place_picked},
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

/// The maximum number of lists in one act.
pub const LISTS_MAX: usize = 100;

/// A request to merge lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListMergeRequest {
    /// The source lists in the order in which they take effect.
    pub from: Vec<ListId>,
    /// An existing list, or a new one of this name.
    pub into: MergeInto,
    pub duplicates: DuplicatePolicy,
    /// Whether the contacts are moved and the source lists are deleted. Otherwise the contacts are copied.
    pub delete_sources: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeInto {
    List(ListId),
    New(String),
}

/// A list that an act filled, and the counts of its contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledList {
    pub list: List,
    pub placed: TransferCounts,
}

/// Returns the lists with these uids, each once.
fn read_lists(tx: &ReadTx, uids: &[ListId]) -> Result<Vec<(ListRow, List)>> {
    let mut rows: Vec<(ListRow, List)> = Vec::with_capacity(uids.len());
    for uid in uids {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        if rows.iter().all(|(known, _)| *known != row) {
            rows.push((row, lists::get(tx, uid)?.or_not_found(Noun::List, uid)?));
        }
    }
    Ok(rows)
}

fn check_list_count(path: &str, lists: &[ListId], least: usize) -> Result<()> {
    if (least..=LISTS_MAX).contains(&lists.len()) {
        return Ok(());
    }
    Err(FieldError::new(path, format!("must be between {least} and {LISTS_MAX} lists"), lists.len()).into())
}

/// Merges the contacts of some lists into one.
pub fn merge(core: &Core, by: &Actor, merge: &ListMergeRequest) -> Result<FilledList> {
    // The target may be among the sources, because people choose it from the same list.
    let from: Vec<ListId> = merge
        .from
        .iter()
        .filter(|uid| !matches!(&merge.into, MergeInto::List(into) if into == *uid))
        .cloned()
        .collect();
    check_list_count("from", &from, 1)?;
    if let MergeInto::New(name) = &merge.into {
        check_name(name)?;
    }
    core.write(by, |tx| {
        let sources = read_lists(tx, &from)?;
        let (list, row) = match &merge.into {
            MergeInto::List(uid) => (
                lists::get(tx, uid)?.or_not_found(Noun::List, uid)?,
                lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?,
            ),
            MergeInto::New(name) => insert_empty(core, tx, name)?,
        };
        let picked = PickedContacts::empty(tx)?;
        for (source, _) in &sources {
            picked.add_list(*source, &ContactFilter::default(), &[], MatchKey::Phone)?;
        }
        picked.set_target(row)?;
        let way = if merge.delete_sources { TransferKind::Move } else { TransferKind::Copy };
        let placed = place_picked(core, tx, &picked, way, merge.duplicates)?;
        if merge.delete_sources {
            for (source, list) in &sources {
                lists::delete(tx, *source)?;
                log_removed(tx, list);
            }
        }
        tx.describe_act(
            ActDescription::new("list_merge")
                .with_subject(list.name.as_str())
                .with_uid(&list.uid)
                .with_count(sources.len() as u64),
        );
        tx.log_change(ChangeLogEntry::many(
            Noun::Contact,
            ChangeAction::Created,
            &list.uid,
            placed.placed + placed.merged,
        ));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &list.uid));
        Ok(FilledList { list: lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)?, placed })
    })
}

/// Returns the conflicts that the contacts of some lists would meet in another list, or among each other in a new list.
/// Nothing is written.
pub fn preview_merge(core: &Core, by: &Actor, from: &[ListId], into: Option<&ListId>) -> Result<SendPreview> {
    let from: Vec<ListId> = from.iter().filter(|uid| into != Some(*uid)).cloned().collect();
    check_list_count("from", &from, 1)?;
    let watch = by.watch.clone().unwrap_or_default();
    core.read(|tx| {
        let target = match into {
            Some(uid) => {
                let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
                Some((lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?, list.contact_count))
            }
            None => None,
        };
        let mut counter = ClashCounter::new(tx, target.map(|(row, _)| row), &watch);
        for (row, _) in read_lists(tx, &from)? {
            counter.add_list(row)?;
        }
        Ok(SendPreview::from_clashes(target.map_or(0, |(_, count)| count), counter.into_counts()))
    })
}

/// A set operation on lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSet {
    pub op: SetOp,
    /// The lists in order. A subtraction starts with the first list, and a contact on several lists is copied from the
    /// first of them.
    pub lists: Vec<ListId>,
    pub key: MatchKey,
    /// Whether contacts are included that have no such number and cannot be compared: all of them in a union, those of
    /// the first list in a subtraction.
    pub takes_those_without: bool,
}

/// The number of contacts in a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ListCombineCount"))]
pub struct SetCount {
    pub count: u64,
    pub per_list: Vec<SetShare>,
    /// Contacts of all lists that have no such number.
    pub without_key: u64,
}

/// The share of one list in a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ListShare"))]
pub struct SetShare {
    pub uid: ListId,
    pub name: String,
    pub contacts: u64,
    /// The number of contacts of the set that would come from this list.
    pub taken: u64,
    pub without_key: u64,
}

/// Counts a set without creating it.
pub fn count_set(core: &Core, set: &ListSet) -> Result<SetCount> {
    check_list_count("lists", &set.lists, 2)?;
    core.read(|tx| {
        let lists = read_lists(tx, &set.lists)?;
        let only: Vec<ListRow> = lists.iter().map(|(row, _)| *row).collect();
        let taken = facts::count_set(tx, &only, set.key, set.op)?;
        let mut per_list = Vec::with_capacity(lists.len());
        for (at, ((row, list), taken)) in lists.into_iter().zip(taken).enumerate() {
            let without_key = facts::count_without_number(tx, row, set.key, list.contact_count)?;
            let takes = set.takes_those_without
                && match set.op {
                    SetOp::Union => true,
                    SetOp::Subtract => at == 0,
                    SetOp::Intersect => false,
                };
            let taken = taken + if takes { without_key } else { 0 };
            per_list.push(SetShare {
                uid: list.uid,
                name: list.name,
                contacts: list.contact_count,
                taken,
                without_key,
            });
        }
        Ok(SetCount {
            count: per_list.iter().map(|share| share.taken).sum(),
            without_key: per_list.iter().map(|share| share.without_key).sum(),
            per_list,
        })
    })
}

/// Creates a new list from a set. Its contacts are copies.
pub fn combine(core: &Core, by: &Actor, set: &ListSet, name: &str) -> Result<FilledList> {
    check_list_count("lists", &set.lists, 2)?;
    check_name(name)?;
    core.write(by, |tx| {
        let from = read_lists(tx, &set.lists)?;
        let only: Vec<ListRow> = from.iter().map(|(row, _)| *row).collect();
        let (list, row) = insert_empty(core, tx, name)?;
        let picked = PickedContacts::empty(tx)?;
        for source in &only {
            picked.add_list(*source, &ContactFilter::default(), &[], set.key)?;
        }
        let takes = set.takes_those_without && set.op != SetOp::Intersect;
        picked.apply_set_operation(&only, set.key, set.op, takes)?;
        picked.set_target(row)?;
        let placed = place_picked(core, tx, &picked, TransferKind::Copy, DuplicatePolicy::Keep)?;
        tx.describe_act(
            ActDescription::new("list_combine").with_subject(name).with_uid(&list.uid).with_count(from.len() as u64),
        );
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &list.uid, placed.placed));
        Ok(FilledList { list: lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)?, placed })
    })
}

/// Copies a list under another name. Its contacts are new ones in the same order.
pub fn duplicate(core: &Core, by: &Actor, uid: &ListId, name: &str) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        let (copy, copy_row) = insert_empty(core, tx, name)?;
        let picked = PickedContacts::empty(tx)?;
        picked.add_list(row, &ContactFilter::default(), &custom_fields::defined_numbers(tx)?, MatchKey::Phone)?;
        picked.set_target(copy_row)?;
        let placed = place_picked(core, tx, &picked, TransferKind::Copy, DuplicatePolicy::Keep)?;
        tx.describe_act(
            ActDescription::new("list_duplicate").with_subject(name).with_uid(&copy.uid).with_count(placed.placed),
        );
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &copy.uid, placed.placed));
        lists::get(tx, &copy.uid)?.or_not_found(Noun::List, &copy.uid)
    })
}

/// Parses uids of lists, and returns an error for each invalid one.
pub fn parse_uids(uids: &[String], path: &str) -> Result<Vec<ListId>> {
    let (mut parsed, mut faults) = (Vec::with_capacity(uids.len()), Vec::new());
    for (i, uid) in uids.iter().enumerate() {
        match ListId::parse(uid) {
            Ok(uid) => parsed.push(uid),
            Err(error) => faults.push(FieldError::new(format!("{path}[{i}]"), error.to_string(), uid.as_str())),
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(Error::Invalid { faults }) }
}
