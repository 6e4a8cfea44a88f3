//! Changes many contacts at once: deletes, moves and copies them.

use roost_model::{
    error::Fault,
    id::{ContactId, ListId},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        batch::Key,
        contacts::{
            clashes::{Clashes, Counter},
            picked::{Picked, Way},
            view::{self, Which},
        },
        custom_fields, lists,
        steps::Act,
    },
    tx::WriteTx,
    watch::Watch,
};

pub use roost_store::tables::contacts::picked::{Duplicates, Placed};
use serde::Serialize;

use super::fields;
use crate::{
    core::{By, Core},
    error::{OrNotFound, Result},
};

/// The contacts to which an act applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Uids(Vec<ContactId>),
    /// Rows of a list as views hold them. Rows whose contacts were removed are skipped.
    Rows {
        list: ListId,
        ids: Vec<i64>,
    },
    /// All contacts of a list that match.
    Matching {
        list: ListId,
        which: Which,
    },
}

fn pick<'t, 'c>(tx: &'t WriteTx<'c>, target: &Target) -> Result<Picked<'t, 'c>> {
    match target {
        Target::Uids(uids) => {
            let picked = Picked::by_uid(tx, uids)?;
            if let ([uid], 0) = (uids.as_slice(), picked.count()?) {
                return None.or_not_found(Noun::Contact, uid);
            }
            Ok(picked)
        }
        Target::Rows { list, ids } => {
            Ok(Picked::by_row(tx, lists::row_of(tx, list)?.or_not_found(Noun::List, list)?, ids)?)
        }
        Target::Matching { list, which } => {
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            let picked = Picked::none(tx)?;
            picked.add(row, which, &custom_fields::numbers(tx)?, Key::Phone)?;
            Ok(picked)
        }
    }
}

/// Names the act after its only contact, or after the list that many contacts leave or enter.
fn act(tx: &WriteTx, name: &'static str, picked: &Picked, count: u64, to: Option<&ListId>) -> Result<Act> {
    let act = Act::new(name).count(count);
    if count == 1
        && let Some(seen) = view::rows(tx, &picked.contacts()?, &[])?.pop()
    {
        return Ok(act.subject(fields::title(&seen.contact)).uid(&seen.contact.uid));
    }
    let sources = picked.sources()?;
    let list = match (to, sources.as_slice()) {
        (Some(to), _) => lists::get(tx, to)?,
        (None, [(_, from, _)]) => lists::get(tx, from)?,
        (None, _) => None,
    };
    Ok(list.map_or(act.clone(), |list| act.subject(list.name).uid(list.uid)))
}

fn log_lists(tx: &WriteTx, action: Action, lists: &[(lists::ListRow, ListId, u64)]) {
    for (_, list, count) in lists {
        tx.log(Change::many(Noun::Contact, action, list, *count));
        tx.log(Change::one(Noun::List, Action::Updated, list));
    }
}

/// Moves contacts to the trash and returns how many. Contacts that are already removed are not an error.
pub fn delete_many(core: &Core, by: &By, target: &Target) -> Result<u64> {
    Ok(delete_rows(core, by, target)?.0)
}

/// Deletes contacts and also returns the step.
pub(crate) fn delete_rows(core: &Core, by: &By, target: &Target) -> Result<(u64, i64)> {
    core.write(by, |tx| {
        let picked = pick(tx, target)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((0, tx.step()));
        }
        tx.act(act(tx, "contact_delete", &picked, count, None)?.into_trash(Noun::Contact));
        let sources = picked.sources()?;
        picked.delete(core.ctx().now())?;
        log_lists(tx, Action::Deleted, &sources);
        Ok((count, tx.step()))
    })
}

/// Moves contacts to another list. Contacts that are already in it stay. Moved contacts keep uid and times.
pub fn move_many(core: &Core, by: &By, target: &Target, to: &ListId) -> Result<u64> {
    Ok(move_rows(core, by, target, to, Duplicates::Keep)?.0.placed)
}

/// Moves contacts and handles those whose number is already in the list: skipped ones stay where they are, merged ones
/// disappear into the others. Also returns the rows that left, and the step.
pub(crate) fn move_rows(
    core: &Core,
    by: &By,
    target: &Target,
    to: &ListId,
    duplicates: Duplicates,
) -> Result<(Placed, Vec<i64>, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let picked = pick(tx, target)?;
        picked.leave_out_of(row)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((Placed::default(), Vec::new(), tx.step()));
        }
        let act = act(tx, "contact_move", &picked, count, Some(to))?;
        picked.send_to(row)?;
        let placed = place(core, tx, &picked, Way::Move, duplicates)?;
        picked.delete_givers(core.ctx().now())?;
        if placed.placed + placed.merged > 0 {
            tx.act(act.count(placed.placed + placed.merged));
            log_lists(tx, Action::Updated, &picked.sources()?);
            tx.log(Change::one(Noun::List, Action::Updated, to));
        }
        Ok((placed, picked.contacts()?, tx.step()))
    })
}

/// Copies contacts to a list as new contacts.
pub fn copy_many(core: &Core, by: &By, target: &Target, to: &ListId, duplicates: Duplicates) -> Result<Placed> {
    Ok(copy_rows(core, by, target, to, duplicates)?.0)
}

/// Copies contacts and also returns the step.
pub(crate) fn copy_rows(
    core: &Core,
    by: &By,
    target: &Target,
    to: &ListId,
    duplicates: Duplicates,
) -> Result<(Placed, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let picked = pick(tx, target)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((Placed::default(), tx.step()));
        }
        let act = act(tx, "contact_copy", &picked, count, Some(to))?;
        picked.send_to(row)?;
        let placed = place(core, tx, &picked, Way::Copy, duplicates)?;
        if placed.placed + placed.merged > 0 {
            tx.act(act.count(placed.placed + placed.merged));
            tx.log(Change::many(Noun::Contact, Action::Created, to, placed.placed));
            tx.log(Change::one(Noun::List, Action::Updated, to));
        }
        Ok((placed, tx.step()))
    })
}

pub(crate) fn place(core: &Core, tx: &WriteTx, picked: &Picked, way: Way, duplicates: Duplicates) -> Result<Placed> {
    let now = core.ctx().now();
    let custom = custom_fields::numbers(tx)?;
    Ok(picked.place(way, duplicates, now, &custom, || ContactId::new(core.ctx().ksuid(now)))?)
}

/// The conflicts that contacts would meet in a list if they were moved, copied or merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SendPreview {
    /// The number of contacts that would go to the list.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub contacts: u64,
    /// The number of contacts in the list.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub in_list: u64,
    /// The number of contacts with a number that is already in the list, on either channel.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub clashing: u64,
    /// The number of contacts whose phone number is already in the list or occurs twice. These are the ones to skip or
    /// merge.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub repeated: u64,
    /// The number of contacts that are opted out of a channel.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opted_out: u64,
}

impl SendPreview {
    pub(crate) fn of(in_list: u64, found: Clashes) -> Self {
        let Clashes { contacts, in_target, repeated, opted_out } = found;
        Self { contacts, in_list, clashing: in_target, repeated, opted_out }
    }
}

/// Returns the conflicts that rows of a list would meet in another list. Nothing is written.
pub(crate) fn preview_send(core: &Core, list: &ListId, ids: &[i64], to: &ListId, watch: &Watch) -> Result<SendPreview> {
    core.read(|tx| {
        let from = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let in_list = lists::get(tx, to)?.map_or(0, |list| list.contact_count);
        let mut counter = Counter::new(tx, Some(row), watch);
        counter.add_rows(from, ids)?;
        Ok(SendPreview::of(in_list, counter.found()))
    })
}

/// Returns the number of contacts to which an act would apply.
pub fn count(core: &Core, target: &Target) -> Result<u64> {
    match target {
        Target::Uids(uids) => Ok(uids.len() as u64),
        Target::Rows { ids, .. } => Ok(ids.len() as u64),
        Target::Matching { list, which } => core.read(|tx| {
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            Ok(view::count(tx, row, which, &custom_fields::numbers(tx)?)?)
        }),
    }
}

/// Parses uids, and returns an error for each invalid one.
pub fn parse_uids(uids: &[String], path: &str) -> Result<Vec<ContactId>> {
    let (mut parsed, mut faults) = (Vec::with_capacity(uids.len()), Vec::new());
    for (i, uid) in uids.iter().enumerate() {
        match ContactId::parse(uid) {
            Ok(uid) => parsed.push(uid),
            Err(error) => faults.push(Fault::new(format!("{path}[{i}]"), error.to_string(), uid.as_str())),
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(crate::Error::Invalid { faults }) }
}
