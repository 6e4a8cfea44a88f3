//! Contains the acts on several lists: merging them, and combining them as sets.

use roost_model::{
    error::Fault,
    id::ListId,
    list::{List, check_name},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        contacts::{
            clashes::Counter,
            picked::{Duplicates, Picked, Placed, Way},
            view::Which,
        },
        custom_fields,
        lists::{self, ListRow, facts},
        steps::Act,
    },
    tx::ReadTx,
};

pub use roost_store::tables::{batch::Key, lists::facts::SetOp};

use super::{insert, log_removed};
use crate::{
    contact::{SendPreview, place},
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// The maximum number of lists in one act.
pub const LISTS_MAX: usize = 100;

/// A request to merge lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The source lists in the order in which they take effect.
    pub from: Vec<ListId>,
    /// An existing list, or a new one of this name.
    pub into: MergeInto,
    pub duplicates: Duplicates,
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
pub struct Filled {
    pub list: List,
    pub placed: Placed,
}

/// Returns the lists with these uids, each once.
fn rows(tx: &ReadTx, uids: &[ListId]) -> Result<Vec<(ListRow, List)>> {
    let mut rows: Vec<(ListRow, List)> = Vec::with_capacity(uids.len());
    for uid in uids {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        if rows.iter().all(|(known, _)| *known != row) {
            rows.push((row, lists::get(tx, uid)?.or_not_found(Noun::List, uid)?));
        }
    }
    Ok(rows)
}

fn check_number(path: &str, lists: &[ListId], least: usize) -> Result<()> {
    if (least..=LISTS_MAX).contains(&lists.len()) {
        return Ok(());
    }
    Err(Fault::new(path, format!("must be between {least} and {LISTS_MAX} lists"), lists.len()).into())
}

/// Merges the contacts of some lists into one.
pub fn merge(core: &Core, by: &By, merge: &Merge) -> Result<Filled> {
    // The target may be among the sources, because people choose it from the same list.
    let from: Vec<ListId> = merge
        .from
        .iter()
        .filter(|uid| !matches!(&merge.into, MergeInto::List(into) if into == *uid))
        .cloned()
        .collect();
    check_number("from", &from, 1)?;
    if let MergeInto::New(name) = &merge.into {
        check_name(name)?;
    }
    core.write(by, |tx| {
        let sources = rows(tx, &from)?;
        let (list, row) = match &merge.into {
            MergeInto::List(uid) => (
                lists::get(tx, uid)?.or_not_found(Noun::List, uid)?,
                lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?,
            ),
            MergeInto::New(name) => insert(core, tx, name)?,
        };
        let picked = Picked::none(tx)?;
        for (source, _) in &sources {
            picked.add(*source, &Which::default(), &[], Key::Phone)?;
        }
        picked.send_to(row)?;
        let way = if merge.delete_sources { Way::Move } else { Way::Copy };
        let placed = place(core, tx, &picked, way, merge.duplicates)?;
        if merge.delete_sources {
            for (source, list) in &sources {
                lists::delete(tx, *source)?;
                log_removed(tx, list);
            }
        }
        tx.act(Act::new("list_merge").subject(list.name.as_str()).uid(&list.uid).count(sources.len() as u64));
        tx.log(Change::many(Noun::Contact, Action::Created, &list.uid, placed.placed + placed.merged));
        tx.log(Change::one(Noun::List, Action::Updated, &list.uid));
        Ok(Filled { list: lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)?, placed })
    })
}

/// Returns the conflicts that the contacts of some lists would meet in another list, or among each other in a new list.
/// Nothing is written.
pub fn preview_merge(core: &Core, by: &By, from: &[ListId], into: Option<&ListId>) -> Result<SendPreview> {
    let from: Vec<ListId> = from.iter().filter(|uid| into != Some(*uid)).cloned().collect();
    check_number("from", &from, 1)?;
    let watch = by.watch.clone().unwrap_or_default();
    core.read(|tx| {
        let target = match into {
            Some(uid) => {
                let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
                Some((lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?, list.contact_count))
            }
            None => None,
        };
        let mut counter = Counter::new(tx, target.map(|(row, _)| row), &watch);
        for (row, _) in rows(tx, &from)? {
            counter.add_list(row)?;
        }
        Ok(SendPreview::of(target.map_or(0, |(_, count)| count), counter.found()))
    })
}

/// A set operation on lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub op: SetOp,
    /// The lists in order. A subtraction starts with the first list, and a contact on several lists is copied from the
    /// first of them.
    pub lists: Vec<ListId>,
    pub key: Key,
    /// Whether contacts are included that have no such number and cannot be compared: all of them in a union, those of
    /// the first list in a subtraction.
    pub takes_those_without: bool,
}

/// The number of contacts in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetCount {
    pub count: u64,
    pub per_list: Vec<SetShare>,
    /// The number of contacts without such a number.
    pub without_key: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetShare {
    pub uid: ListId,
    pub name: String,
    pub contacts: u64,
    /// The number of contacts of the set that would come from this list.
    pub taken: u64,
    pub without_key: u64,
}

/// Counts a set without creating it.
pub fn count_set(core: &Core, set: &Set) -> Result<SetCount> {
    check_number("lists", &set.lists, 2)?;
    core.read(|tx| {
        let lists = rows(tx, &set.lists)?;
        let only: Vec<ListRow> = lists.iter().map(|(row, _)| *row).collect();
        let taken = facts::count_set(tx, &only, set.key, set.op)?;
        let mut per_list = Vec::with_capacity(lists.len());
        for (at, ((row, list), taken)) in lists.into_iter().zip(taken).enumerate() {
            let without_key = facts::without(tx, row, set.key, list.contact_count)?;
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
pub fn combine(core: &Core, by: &By, set: &Set, name: &str) -> Result<Filled> {
    check_number("lists", &set.lists, 2)?;
    check_name(name)?;
    core.write(by, |tx| {
        let from = rows(tx, &set.lists)?;
        let only: Vec<ListRow> = from.iter().map(|(row, _)| *row).collect();
        let (list, row) = insert(core, tx, name)?;
        let picked = Picked::none(tx)?;
        for source in &only {
            picked.add(*source, &Which::default(), &[], set.key)?;
        }
        let takes = set.takes_those_without && set.op != SetOp::Intersect;
        picked.keep_set(&only, set.key, set.op, takes)?;
        picked.send_to(row)?;
        let placed = place(core, tx, &picked, Way::Copy, Duplicates::Keep)?;
        tx.act(Act::new("list_combine").subject(name).uid(&list.uid).count(from.len() as u64));
        tx.log(Change::many(Noun::Contact, Action::Created, &list.uid, placed.placed));
        Ok(Filled { list: lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)?, placed })
    })
}

/// Copies a list under another name. Its contacts are new ones in the same order.
pub fn duplicate(core: &Core, by: &By, uid: &ListId, name: &str) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        let (copy, copy_row) = insert(core, tx, name)?;
        let picked = Picked::none(tx)?;
        picked.add(row, &Which::default(), &custom_fields::numbers(tx)?, Key::Phone)?;
        picked.send_to(copy_row)?;
        let placed = place(core, tx, &picked, Way::Copy, Duplicates::Keep)?;
        tx.act(Act::new("list_duplicate").subject(name).uid(&copy.uid).count(placed.placed));
        tx.log(Change::many(Noun::Contact, Action::Created, &copy.uid, placed.placed));
        lists::get(tx, &copy.uid)?.or_not_found(Noun::List, &copy.uid)
    })
}

/// Parses uids of lists, and returns an error for each invalid one.
pub fn parse_uids(uids: &[String], path: &str) -> Result<Vec<ListId>> {
    let (mut parsed, mut faults) = (Vec::with_capacity(uids.len()), Vec::new());
    for (i, uid) in uids.iter().enumerate() {
        match ListId::parse(uid) {
            Ok(uid) => parsed.push(uid),
            Err(error) => faults.push(Fault::new(format!("{path}[{i}]"), error.to_string(), uid.as_str())),
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(Error::Invalid { faults }) }
}
