//! Acts on several lists: merging, and sets of their numbers.

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

/// Lists an act takes at most.
pub const LISTS_MAX: usize = 100;

/// Lists that become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// In the order in which they take effect.
    pub from: Vec<ListId>,
    /// A list that is there, or a new one of this name.
    pub into: MergeInto,
    pub duplicates: Duplicates,
    /// Then their contacts move and the lists go; else they stay and their contacts are copied.
    pub delete_sources: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeInto {
    List(ListId),
    New(String),
}

/// A list that an act filled, and what came of the contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    pub list: List,
    pub placed: Placed,
}

/// The rows of lists given by uid, each once.
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

/// Puts the contacts of some lists into one.
pub fn merge(core: &Core, by: &By, merge: &Merge) -> Result<Filled> {
    // The target may stand among the sources, as a person picks it from them.
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

/// What the contacts of some lists would meet in another one; in a new one only each other. Nothing is written.
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

/// A set made of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub op: SetOp,
    /// In order: the first is what others are taken from, and who is in several comes from the first of them.
    pub lists: Vec<ListId>,
    pub key: Key,
    /// Contacts without such a number, which cannot be compared, are taken as well where that makes sense: all in a
    /// union, those of the first list in a subtraction.
    pub takes_those_without: bool,
}

/// What a set would hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetCount {
    pub count: u64,
    pub per_list: Vec<SetShare>,
    /// Contacts without such a number.
    pub without_key: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetShare {
    pub uid: ListId,
    pub name: String,
    pub contacts: u64,
    /// How many contacts of the set would come from it.
    pub taken: u64,
    pub without_key: u64,
}

/// Counts a set without making it.
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

/// Makes a new list of a set; its contacts are copies.
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

/// Makes a copy of a list under another name; its contacts are new ones in the same order.
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

/// Uids of lists as they were sent; every malformed one is a fault of its own.
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
