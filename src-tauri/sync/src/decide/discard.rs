//! Discards local changes: returns records to what both sides last agreed on, as one act that can be undone.

use roost_model::{
    id::SenderId,
    sender::{Sender, SenderStatus},
    time::Timestamp,
};
use roost_ops::{Actor, Core, Error, Noun};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    row_changes,
    tables::{
        senders,
        sync::{
            SyncedTable,
            changes::{self, ServiceState, SyncChange},
            discarded,
            local::{self, AddedContact, ServiceTimes},
            runs,
        },
    },
    tx::{ActDescription, WriteTx},
};
use serde::Serialize;

use super::RecordKeys;
use crate::{
    cells,
    gather::OptOutRecordKey,
    merge::{self, MergeContext},
    pull,
};

/// The result of discarding changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ChangesDiscarded"))]
pub struct DiscardSummary {
    /// The number of records that were returned to what both sides last agreed on.
    pub count: u64,
    /// Opt-outs that were added here. They stay and are sent.
    pub opt_outs_kept: u64,
}

/// Returns records to what both sides last agreed on, and merges what the service changed meanwhile in the same act, so
/// that its undo restores the local change, and the conflict if there was one.
pub fn discard_changes(core: &Core, by: &Actor, records: &[RecordKeys]) -> Result<DiscardSummary, Error> {
    let mut all: Vec<&RecordKeys> = records.iter().collect();
    // Lists come first, because a contact that was deleted with its list returns into it.
    all.sort_by_key(|records| !matches!(records, RecordKeys::Lists(_)));
    let rules = MergeContext::read(core)?;
    core.write(by, |tx| {
        let now = core.ctx().now();
        let (mut count, mut opt_outs_kept) = (0, 0);
        for records in all {
            let (noun, done) = match records {
                RecordKeys::Lists(ids) => (Noun::List, count_changed(tx, ids, |id| discard_list(tx, core, *id))?),
                RecordKeys::Contacts(ids) => {
                    ids.iter().try_for_each(|id| runs::release_refused(tx, SyncedTable::Contacts, id))?;
                    let conflicts = discarded::read_conflicts(tx, ids)?;
                    let done = count_changed(tx, ids, |id| discard_contact(tx, core, *id))?;
                    merge::merge_settled(tx, &rules, ids)?;
                    discarded::remember_settled(tx, &conflicts)?;
                    (Noun::Contact, done)
                }
                RecordKeys::Links(ids) => (Noun::ShortLink, count_changed(tx, ids, |id| discard_link(tx, *id, now))?),
                RecordKeys::OptOuts(ids) => {
                    opt_outs_kept += count_changed(tx, ids, |id| is_added(tx, id))?;
                    (Noun::OptOut, count_changed(tx, ids, |id| discard_opt_out(tx, id))?)
                }
                RecordKeys::Senders(ids) => (Noun::Sender, count_changed(tx, ids, |id| discard_sender(tx, id))?),
            };
            if done > 0 {
                tx.log_change(ChangeLogEntry::bulk(noun, ChangeAction::Updated, done));
            }
            count += done;
        }
        if count > 0 {
            tx.describe_act(ActDescription::new("changes_discard").with_count(count));
        }
        Ok(DiscardSummary { count, opt_outs_kept })
    })
}

/// Applies `act` to each record and counts those that it changed.
fn count_changed<I>(tx: &WriteTx, ids: &[I], act: impl Fn(&I) -> Result<bool, Error>) -> Result<u64, Error> {
    let mut count = 0;
    for id in ids {
        tx.check_cancelled()?;
        count += u64::from(act(id)?);
    }
    Ok(count)
}

/// Returns a contact to the agreed version: moves it back, restores it, or removes it if it was created locally.
fn discard_contact(tx: &WriteTx, core: &Core, id: i64) -> Result<bool, Error> {
    let now = core.ctx().now();
    let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?;
    match (&known.base, &known.local) {
        (Some(base), Some(local)) => {
            let home = known.was_in;
            if let Some(home) = home {
                discard_list(tx, core, home)?;
                local::move_contact(tx, id, home, now)?;
            }
            if base != local {
                local::set_contact(tx, id, base, None)?;
            }
            Ok(home.is_some() || base != local)
        }
        (Some(base), None) => {
            let Some(home) = known.list else { return Ok(false) };
            if local::read_list(tx, home)?.is_none() {
                discard_list(tx, core, home)?;
            }
            if local::read_list(tx, home)?.is_none() {
                return Ok(false);
            }
            if row_changes::restore_contact(tx, id, home, now)? {
                local::set_contact(tx, id, base, None)?;
            } else {
                let uid = merge::choose_uid(tx, core, known.uid.as_deref())?;
                let added =
                    AddedContact { id: Some(id), list: home, uid: &uid, cells: base, times: ServiceTimes::default() };
                local::add_contact(tx, added, now)?;
            }
            Ok(true)
        }
        (None, Some(_)) if known.at_service == ServiceState::AsAgreed => {
            local::remove_contact(tx, id, now)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Returns a list to the agreed version, with the contacts that were deleted with it.
fn discard_list(tx: &WriteTx, core: &Core, id: i64) -> Result<bool, Error> {
    let now = core.ctx().now();
    let known = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?;
    let name = |text: &str| cells::cell_text(text, "name");
    match (&known.base, &known.local) {
        (Some(base), Some(local)) if base != local => {
            local::set_list_name(tx, id, &name(base))?;
            Ok(true)
        }
        (Some(base), None) => {
            if row_changes::restore_deleted(tx, SyncedTable::Lists, id)? {
                local::set_list_name(tx, id, &name(base))?;
                local::recount_list(tx, id)?;
            } else {
                let uid = pull::choose_list_uid(tx, core, known.uid.as_deref())?;
                local::restore_list(tx, id, uid.as_str(), &name(base), now)?;
            }
            // Contacts that were deleted with the list return with it.
            for contact_id in local::changed_contacts(tx, id)? {
                tx.check_cancelled()?;
                if changes::read_record::<i64>(tx, SyncedTable::Contacts, contact_id)?.local.is_none() {
                    discard_contact(tx, core, contact_id)?;
                }
            }
            Ok(true)
        }
        (None, Some(_)) => {
            // Contacts that were moved into the list return to their own.
            for contact_id in local::changed_contacts(tx, id)? {
                let moved: SyncChange<i64> = changes::read_record(tx, SyncedTable::Contacts, contact_id)?;
                if moved.was_in.is_some() && moved.list == Some(id) {
                    discard_contact(tx, core, contact_id)?;
                }
            }
            local::remove_list(tx, id)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn discard_link(tx: &WriteTx, id: i64, now: Timestamp) -> Result<bool, Error> {
    let known = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?;
    match (&known.base, &known.local) {
        (Some(base), Some(local)) if base != local => {
            local::set_link(tx, id, "", base, now)?;
            Ok(true)
        }
        (Some(base), None) => {
            let Some(uid) = known.uid.as_deref() else { return Ok(false) };
            row_changes::restore_deleted(tx, SyncedTable::ShortLinks, id)?;
            local::set_link(tx, id, uid, base, now)?;
            Ok(true)
        }
        (None, Some(_)) => {
            local::remove_link(tx, id)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Returns whether an opt-out was added locally. Nothing but a removal with a reason ends it.
fn is_added(tx: &WriteTx, key: &OptOutRecordKey) -> Result<bool, Error> {
    let known = changes::read_record::<String>(tx, SyncedTable::OptOuts, key.id())?;
    Ok(known.base.is_none() && known.local.is_some())
}

fn discard_opt_out(tx: &WriteTx, key: &OptOutRecordKey) -> Result<bool, Error> {
    let known = changes::read_record::<String>(tx, SyncedTable::OptOuts, key.id())?;
    match known.base {
        Some(base) if known.local.as_ref() != Some(&base) => pull::put_opt_out(tx, key, Some(&base)),
        _ => Ok(false),
    }
}

fn discard_sender(tx: &WriteTx, id: &str) -> Result<bool, Error> {
    let known = changes::read_record::<String>(tx, SyncedTable::Senders, id.to_owned())?;
    let (Some(base), None, Ok(own)) = (&known.base, &known.local, SenderId::parse(id)) else { return Ok(false) };
    if !row_changes::restore_deleted(tx, SyncedTable::Senders, id.to_owned())? {
        // The next pull updates the status.
        let name = cells::cell_text(base, "name");
        if senders::is_name_taken(tx, &name)? {
            return Ok(false);
        }
        senders::insert(tx, &Sender { id: own, name, status: SenderStatus::Pending })?;
    }
    Ok(true)
}
