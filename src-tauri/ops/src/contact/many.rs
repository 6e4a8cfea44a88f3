//! Changes many contacts at once: deletes, moves and copies them.

use roost_model::{
    error::FieldError,
    id::{ContactId, ListId},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        batch::MatchKey,
        contacts::{
            clashes::{ClashCounter, ClashCounts},
            list_view::{self, ContactFilter},
            picked_contacts::{PickedContacts, TransferKind},
        },
        custom_fields, lists,
    },
    tx::{ActDescription, WriteTx},
    watch::Watch,
};

pub use roost_store::tables::contacts::picked_contacts::{DuplicatePolicy, TransferCounts};
use serde::Serialize;

use super::fields;
use crate::{
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

/// The contacts to which an act applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactTarget {
    Uids(Vec<ContactId>),
    /// Rows of a list as views hold them. Rows whose contacts were removed are skipped.
    Rows {
        list: ListId,
        ids: Vec<i64>,
    },
    /// All contacts of a list that match.
    Matching {
        list: ListId,
        which: ContactFilter,
    },
}

fn pick_contacts<'t, 'c>(tx: &'t WriteTx<'c>, target: &ContactTarget) -> Result<PickedContacts<'t, 'c>> {
    match target {
        ContactTarget::Uids(uids) => {
            let picked = PickedContacts::from_uids(tx, uids)?;
            if let ([uid], 0) = (uids.as_slice(), picked.count()?) {
                return None.or_not_found(Noun::Contact, uid);
            }
            Ok(picked)
        }
        ContactTarget::Rows { list, ids } => {
            Ok(PickedContacts::from_rows(tx, lists::row_of(tx, list)?.or_not_found(Noun::List, list)?, ids)?)
        }
        ContactTarget::Matching { list, which } => {
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            let picked = PickedContacts::empty(tx)?;
            picked.add_list(row, which, &custom_fields::defined_numbers(tx)?, MatchKey::Phone)?;
            Ok(picked)
        }
    }
}

/// Names the act after its only contact, or after the list that many contacts leave or enter.
fn name_act(
    tx: &WriteTx,
    name: &'static str,
    picked: &PickedContacts,
    count: u64,
    to: Option<&ListId>,
) -> Result<ActDescription> {
    let act = ActDescription::new(name).with_count(count);
    if count == 1
        && let Some(seen) = list_view::read_by_ids(tx, &picked.contact_rows()?, &[])?.pop()
    {
        return Ok(act.with_subject(fields::contact_title(&seen.contact)).with_uid(&seen.contact.uid));
    }
    let sources = picked.source_lists()?;
    let list = match (to, sources.as_slice()) {
        (Some(to), _) => lists::get(tx, to)?,
        (None, [(_, from, _)]) => lists::get(tx, from)?,
        (None, _) => None,
    };
    Ok(list.map_or(act.clone(), |list| act.with_subject(list.name).with_uid(list.uid)))
}

fn log_lists(tx: &WriteTx, action: ChangeAction, lists: &[(lists::ListRow, ListId, u64)]) {
    for (_, list, count) in lists {
        tx.log_change(ChangeLogEntry::many(Noun::Contact, action, list, *count));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, list));
    }
}

/// Moves contacts to the trash and returns how many. Contacts that are already removed are not an error.
pub fn delete_many(core: &Core, by: &Actor, target: &ContactTarget) -> Result<u64> {
    Ok(delete_rows(core, by, target)?.0)
}

/// Deletes contacts and also returns the step.
pub fn delete_rows(core: &Core, by: &Actor, target: &ContactTarget) -> Result<(u64, i64)> {
    core.write(by, |tx| {
        let picked = pick_contacts(tx, target)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((0, tx.step()));
        }
        tx.describe_act(name_act(tx, "contact_delete", &picked, count, None)?.into_trash(Noun::Contact));
        let sources = picked.source_lists()?;
        picked.delete(core.ctx().now())?;
        log_lists(tx, ChangeAction::Deleted, &sources);
        Ok((count, tx.step()))
    })
}

/// Moves contacts to another list. Contacts that are already in it stay. Moved contacts keep uid and times.
pub fn move_many(core: &Core, by: &Actor, target: &ContactTarget, to: &ListId) -> Result<u64> {
    Ok(move_rows(core, by, target, to, DuplicatePolicy::Keep)?.0.placed)
}

/// Moves contacts and handles those whose number is already in the list: skipped ones stay where they are, merged ones
/// disappear into the others. Also returns the rows that left, and the step.
pub fn move_rows(
    core: &Core,
    by: &Actor,
    target: &ContactTarget,
    to: &ListId,
    duplicates: DuplicatePolicy,
) -> Result<(TransferCounts, Vec<i64>, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let picked = pick_contacts(tx, target)?;
        picked.exclude_list(row)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((TransferCounts::default(), Vec::new(), tx.step()));
        }
        let act = name_act(tx, "contact_move", &picked, count, Some(to))?;
        picked.set_target(row)?;
        let placed = place_picked(core, tx, &picked, TransferKind::Move, duplicates)?;
        picked.delete_merged(core.ctx().now())?;
        if placed.placed + placed.merged > 0 {
            tx.describe_act(act.with_count(placed.placed + placed.merged));
            log_lists(tx, ChangeAction::Updated, &picked.source_lists()?);
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, to));
        }
        Ok((placed, picked.contact_rows()?, tx.step()))
    })
}

/// Copies contacts to a list as new contacts. Also returns the step.
pub fn copy_rows(
    core: &Core,
    by: &Actor,
    target: &ContactTarget,
    to: &ListId,
    duplicates: DuplicatePolicy,
) -> Result<(TransferCounts, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let picked = pick_contacts(tx, target)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((TransferCounts::default(), tx.step()));
        }
        let act = name_act(tx, "contact_copy", &picked, count, Some(to))?;
        picked.set_target(row)?;
        let placed = place_picked(core, tx, &picked, TransferKind::Copy, duplicates)?;
        if placed.placed + placed.merged > 0 {
            tx.describe_act(act.with_count(placed.placed + placed.merged));
            tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, to, placed.placed));
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, to));
        }
        Ok((placed, tx.step()))
    })
}

pub fn place_picked(
    core: &Core,
    tx: &WriteTx,
    picked: &PickedContacts,
    way: TransferKind,
    duplicates: DuplicatePolicy,
) -> Result<TransferCounts> {
    let now = core.ctx().now();
    let custom = custom_fields::defined_numbers(tx)?;
    Ok(picked.transfer_contacts(way, duplicates, now, &custom, || ContactId::new(core.ctx().ksuid(now)))?)
}

/// The conflicts that contacts would meet in a list if they were moved, copied or merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SendPreview {
    /// The number of contacts that would go to the list.
    pub contacts: u64,
    /// The number of contacts in the list.
    pub in_list: u64,
    /// The number of contacts with a number that is already in the list, on either channel.
    pub clashing: u64,
    /// The number of contacts whose phone number is already in the list or occurs twice. These are the ones to skip or
    /// merge.
    pub repeated: u64,
    /// The number of contacts that are opted out of a channel.
    pub opted_out: u64,
}

impl SendPreview {
    pub fn from_clashes(in_list: u64, found: ClashCounts) -> Self {
        let ClashCounts { contacts, in_target, repeated, opted_out } = found;
        Self { contacts, in_list, clashing: in_target, repeated, opted_out }
    }
}

/// Returns the conflicts that rows of a list would meet in another list. Nothing is written.
pub fn preview_send(core: &Core, list: &ListId, ids: &[i64], to: &ListId, watch: &Watch) -> Result<SendPreview> {
    core.read(|tx| {
        let from = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let in_list = lists::get(tx, to)?.map_or(0, |list| list.contact_count);
        let mut counter = ClashCounter::new(tx, Some(row), watch);
        counter.add_rows(from, ids)?;
        Ok(SendPreview::from_clashes(in_list, counter.into_counts()))
    })
}

/// Parses uids, and returns an error for each invalid one.
pub fn parse_uids(uids: &[String], path: &str) -> Result<Vec<ContactId>> {
    let (mut parsed, mut faults) = (Vec::with_capacity(uids.len()), Vec::new());
    for (i, uid) in uids.iter().enumerate() {
        match ContactId::parse(uid) {
            Ok(uid) => parsed.push(uid),
            Err(error) => faults.push(FieldError::new(format!("{path}[{i}]"), error.to_string(), uid.as_str())),
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(crate::Error::Invalid { faults }) }
}
