//! Merges observed records of the service with the account: applies them, records the agreement, or raises a conflict.

use std::{collections::HashSet, panic::resume_unwind, thread};

use roost_model::{id::ContactId, time::Timestamp};
use roost_ops::{Actor, Core, Error, Noun, list};
use roost_reconcile::{
    ContactRow,
    adopt::pair_records,
    input::{ContactChange, RemoteState},
    merge::{MergeNote, MergePolicy},
    row::FieldDifference,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    tables::sync::{
        SyncedTable, answers, changes, ids,
        local::{self, AddedContact, ServiceTimes},
        scopes::{self, ServiceRecord},
    },
    tx::{ActDescription, WriteTx},
};

use crate::{cells, gather};

/// The number of rows in one transaction.
pub const ROWS_PER_TRANSACTION: u32 = 1_000;

/// The counts of a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeCounts {
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// Conflicts that a person has to decide.
    pub questions: u64,
    /// Contacts of one list that were seen in another. Nothing was done about them.
    pub elsewhere: u64,
    /// Contacts that were deleted locally and restored because the service's record was edited since.
    pub brought_back: Vec<i64>,
    /// The names of the first added and changed contacts, for the step.
    names: Vec<String>,
}

impl MergeCounts {
    pub fn add(&mut self, other: Self) {
        self.added += other.added;
        self.changed += other.changed;
        self.removed += other.removed;
        self.questions += other.questions;
        self.elsewhere += other.elsewhere;
        self.brought_back.extend(other.brought_back);
    }

    /// Writes the counts to the change log, so that pages are refreshed, and names a few contacts, or their list.
    pub fn log_changes(&self, tx: &WriteTx, list: Option<i64>) -> Result<(), Error> {
        let restored = self.brought_back.len() as u64;
        let counts = [
            (ChangeAction::Created, self.added + restored),
            (ChangeAction::Updated, self.changed),
            (ChangeAction::Deleted, self.removed),
        ];
        for (action, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, action, count));
        }
        let count = self.added + self.changed + self.removed;
        if restored > 0 {
            tx.describe_act(self.describe_restored(tx)?);
        } else if self.names.len() as u64 != count
            && let Some(list) = list
            && let Some((name, _)) = local::read_list(tx, list)?
        {
            tx.describe_act(ActDescription::new("sync_pull_contacts").with_subject(name).with_count(count));
        } else if count > 0 {
            tx.describe_act(describe_pull(&self.names, count));
        }
        Ok(())
    }

    /// Remembers the name of an added or changed contact, if the step can still name it.
    fn note_name(&mut self, name: impl FnOnce() -> String) {
        if self.names.len() < NAMED_RECORDS {
            self.names.push(name());
        }
    }

    fn describe_restored(&self, tx: &WriteTx) -> Result<ActDescription, Error> {
        let mut names = Vec::new();
        for id in self.brought_back.iter().take(NAMED_RECORDS) {
            let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, *id)?;
            names.extend(known.local.as_deref().map(cells::contact_title));
        }
        let mut subject = names.join(", ");
        if self.brought_back.len() > names.len() {
            subject.push_str(" …");
        }
        let restored = self.brought_back.len() as u64;
        let others = self.added + self.changed + self.removed;
        let act = if others == 0 {
            ActDescription::new("sync_restore").with_count(restored)
        } else {
            ActDescription::new("sync_pull").with_count(restored + others)
        };
        Ok(act.with_subject(subject))
    }
}

/// The settings of a merge.
pub struct MergeContext<'a> {
    core: &'a Core,
    now: Timestamp,
    policy: MergePolicy,
}

impl<'a> MergeContext<'a> {
    pub fn read(core: &'a Core) -> Result<Self, Error> {
        Ok(Self { core, now: core.ctx().now(), policy: core.read(|tx| Ok(gather::read_policy(tx)?))? })
    }
}

/// Merges one contact with its present state at the service, or with its absence.
pub fn merge_contact(
    tx: &WriteTx,
    rules: &MergeContext<'_>,
    (list, id): (i64, i64),
    seen: Option<&ServiceRecord>,
    merged: &mut MergeCounts,
) -> Result<(), Error> {
    let touched = changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?;
    if seen.is_some() && touched.was_in.is_none() && touched.list.is_some_and(|home| home != list) {
        merged.elsewhere += 1;
        return Ok(());
    }
    let uid = touched.uid.clone();
    let decided = gather::decisions_by_record(answers::read_of_record(tx, SyncedTable::Contacts, id)?)
        .remove(&id)
        .unwrap_or_default();
    let mut change = gather::build_change(touched, decided);
    change.remote = match seen.map(|seen| cells::parse_row(&seen.cells)) {
        None if change.base.is_none() => RemoteState::AsBase,
        None => RemoteState::Gone,
        Some(row) if change.base.as_ref() == Some(&row) => RemoteState::AsBase,
        Some(row) => RemoteState::Is(row),
    };
    let aside = match &change.remote {
        RemoteState::AsBase => changes::ServiceState::AsAgreed,
        RemoteState::Gone => changes::ServiceState::Deleted,
        RemoteState::Is(row) => changes::ServiceState::Changed(cells::to_cells(row)),
    };
    if forward_to_successor(tx, rules, &change, seen, merged)? {
        return Ok(());
    }
    // A contact that was moved locally keeps its original list until it has arrived.
    let is_elsewhere = change.was_in.is_some_and(|home| home != list) && seen.is_some();
    let settled = if is_elsewhere { None } else { change.settle_merge(&rules.policy).ok() };
    let Some(settled) = settled else {
        merged.questions += u64::from(aside != changes::ServiceState::AsAgreed && change.was_in.is_none());
        return Ok(changes::set_service_state(tx, SyncedTable::Contacts, &id, &aside)?);
    };
    let times = seen.map_or(ServiceTimes::default(), |seen| seen.times);
    match (&settled.target, &change.local) {
        (Some(target), Some(local)) if target != local => {
            local::set_contact(tx, id, &cells::to_cells(target), times.changed)?;
            merged.changed += 1;
            merged.note_name(|| cells::contact_title(&cells::to_cells(target)));
        }
        (Some(target), None) => {
            let (cells, own) = (cells::to_cells(target), choose_uid(tx, rules.core, uid.as_deref())?);
            local::add_contact(tx, AddedContact { id: Some(id), list, uid: &own, cells: &cells, times }, rules.now)?;
            if settled.note == Some(MergeNote::DeletionDropped) {
                merged.brought_back.push(id);
            }
        }
        (None, Some(_)) => {
            local::remove_contact(tx, id, rules.now)?;
            merged.removed += 1;
        }
        _ => {}
    }
    answers::remove_settled(tx, SyncedTable::Contacts, &id)?;
    match change.remote_row() {
        Some(row) => {
            let uid = seen.map(|seen| seen.uid.as_str()).or(uid.as_deref());
            Ok(changes::set_agreed(tx, SyncedTable::Contacts, &id, Some(list), uid, Some(&cells::to_cells(row)))?)
        }
        None => Ok(changes::mark_record_new(tx, SyncedTable::Contacts, id, Some(list))?),
    }
}

/// Carries another writer's change of an old record over to the record that replaced it. Values that the user has
/// changed there and not sent yet stay.
fn forward_to_successor(
    tx: &WriteTx,
    rules: &MergeContext<'_>,
    change: &ContactChange,
    seen: Option<&ServiceRecord>,
    merged: &mut MergeCounts,
) -> Result<bool, Error> {
    let (Some(base), RemoteState::Is(row), Some(seen), None) = (&change.base, &change.remote, seen, &change.local)
    else {
        return Ok(false);
    };
    let Some(successor) = answers::find_successor(tx, SyncedTable::Contacts, change.id)? else { return Ok(false) };
    let new = changes::read_record::<i64>(tx, SyncedTable::Contacts, successor)?;
    let Some(own) = new.local.as_deref().map(cells::parse_row) else { return Ok(false) };
    let sent = new.base.as_deref().map(cells::parse_row);
    let mut target = own.clone();
    for FieldDifference { field, .. } in base.differences(row) {
        let is_sent = sent.as_ref().is_some_and(|sent| sent.get(field) == own.get(field));
        if is_sent || own.get(field) == base.get(field) {
            target.set(field, row.get(field));
        }
    }
    if target != own {
        local::set_contact(tx, successor, &cells::to_cells(&target), Some(rules.now.unix()))?;
        merged.changed += 1;
        merged.note_name(|| cells::contact_title(&cells::to_cells(&target)));
    }
    changes::set_agreed(
        tx,
        SyncedTable::Contacts,
        &change.id,
        Some(change.list),
        Some(&seen.uid),
        Some(&cells::to_cells(row)),
    )?;
    Ok(true)
}

/// Returns the service's identifier if the record can take it, otherwise a new one.
pub fn choose_uid(tx: &WriteTx, core: &Core, uid: Option<&str>) -> Result<String, Error> {
    match uid {
        Some(uid) if ContactId::parse(uid).is_ok() && !local::is_own_uid(tx, uid)? => Ok(uid.to_owned()),
        _ => Ok(ContactId::new(core.ctx().ksuid(core.ctx().now())).as_str().to_owned()),
    }
}

/// Adds contacts that are unknown locally. Their list does not count them yet.
fn add_unknown_contacts(
    tx: &WriteTx,
    rules: &MergeContext<'_>,
    (list, rows): (i64, &[ServiceRecord]),
    merged: &mut MergeCounts,
) -> Result<(), Error> {
    let mut arrivals = local::ContactArrivals::begin(tx, list, rules.now)?;
    for seen in rows {
        let uid = choose_uid(tx, rules.core, Some(&seen.uid))?;
        let Some(id) = arrivals.append(tx, &uid, seen)? else { continue };
        if uid != seen.uid {
            ids::set_mapping(tx, SyncedTable::Contacts, id, &seen.uid)?;
        }
        merged.note_name(|| cells::contact_title(&seen.cells));
    }
    merged.added += arrivals.end()?;
    Ok(())
}

/// Identifies contacts that were created locally with contacts that appeared at the service, and returns the pairs. The
/// records that they replace are still to be deleted.
pub fn pair_new_contacts(
    tx: &WriteTx,
    list: i64,
    here: &[(i64, ContactRow)],
) -> Result<Vec<(i64, ServiceRecord)>, Error> {
    let numbers: Vec<String> = here.iter().flat_map(|(_, row)| row.keys()).map(|key| key.number).collect();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let strangers = scopes::unknown_contacts(tx, list, &numbers)?;
    let there: Vec<(&str, ContactRow)> =
        strangers.iter().map(|seen| (seen.uid.as_str(), cells::parse_row(&seen.cells))).collect();
    let there: Vec<(&str, &ContactRow)> = there.iter().map(|(uid, row)| (*uid, row)).collect();
    let here: Vec<(i64, &ContactRow)> = here.iter().map(|(id, row)| (*id, row)).collect();
    let mut met = Vec::new();
    for (id, uid) in pair_records(&here, &there) {
        changes::supersede_record(tx, SyncedTable::Contacts, id)?;
        ids::set_mapping(tx, SyncedTable::Contacts, id, uid)?;
        answers::set_answer(tx, SyncedTable::Contacts, &id, "choice", None)?;
        met.extend(strangers.iter().find(|seen| seen.uid == uid).map(|seen| (id, seen.clone())));
    }
    Ok(met)
}

/// Observed contacts of a list with the local contact of each.
type ObservedRows = Vec<(ServiceRecord, Option<i64>)>;

/// Reads the next contacts of a list after `behind` that are different here or do not exist here.
fn read_differing(core: &Core, list: i64, behind: &str) -> Result<ObservedRows, Error> {
    core.read(|tx| Ok(scopes::read_differing(tx, list, behind, ROWS_PER_TRANSACTION)?))
}

/// Merges rows of a list in one transaction.
fn merge_rows(core: &Core, rules: &MergeContext<'_>, list: i64, rows: ObservedRows) -> Result<MergeCounts, Error> {
    core.write(&Actor::sync(), |tx| {
        let mut merged = MergeCounts::default();
        let mut unknown = Vec::new();
        for (seen, id) in rows {
            // The rows were read before this transaction, and somebody may have restored the contact meanwhile.
            let id =
                id.map_or_else(|| ids::find_by_service_uid(tx, SyncedTable::Contacts, &seen.uid), |id| Ok(Some(id)))?;
            match id {
                Some(id) => merge_contact(tx, rules, (list, id), Some(&seen), &mut merged)?,
                None => unknown.push(seen),
            }
        }
        if !unknown.is_empty() {
            add_unknown_contacts(tx, rules, (list, &unknown), &mut merged)?;
        }
        if merged.added > 0 {
            local::add_to_count(tx, list, merged.added, rules.now)?;
        }
        merged.log_changes(tx, Some(list))?;
        Ok(merged)
    })
}

/// Merges the observed rows of a list. If `is_whole`, a contact that was not seen no longer exists.
pub fn merge_list(core: &Core, list: i64, is_whole: bool) -> Result<MergeCounts, Error> {
    let rules = MergeContext::read(core)?;
    let mut all = core.write(&Actor::sync(), |tx| {
        let mut merged = MergeCounts::default();
        let made = scopes::contacts_created_here(tx, list)?;
        let made: Vec<(i64, ContactRow)> = made.into_iter().map(|(id, text)| (id, cells::parse_row(&text))).collect();
        for (id, seen) in pair_new_contacts(tx, list, &made)? {
            merge_contact(tx, &rules, (list, id), Some(&seen), &mut merged)?;
        }
        merged.log_changes(tx, Some(list))?;
        Ok::<_, Error>(merged)
    })?;
    let mut rows = read_differing(core, list, "")?;
    while let Some(behind) = rows.last().map(|(seen, _)| seen.uid.clone()) {
        let (merged, next) = if rows.iter().all(|(_, id)| id.is_none()) {
            // Contacts that are added change nothing in the following rows, so these can be read meanwhile.
            thread::scope(|scope| {
                let next = scope.spawn(|| read_differing(core, list, &behind));
                let merged = merge_rows(core, &rules, list, rows);
                (merged, next.join().unwrap_or_else(|panic| resume_unwind(panic)))
            })
        } else {
            (merge_rows(core, &rules, list, rows), read_differing(core, list, &behind))
        };
        all.add(merged?);
        rows = next?;
    }
    let missing = if is_whole { core.read(|tx| Ok(scopes::missing_contacts(tx, list)?))? } else { Vec::new() };
    if is_whole {
        forget_sent_deletions(core, list, &missing)?;
    }
    for part in missing.chunks(ROWS_PER_TRANSACTION as usize) {
        all.add(merge_missing(core, list, part)?);
    }
    Ok(all)
}

/// Forgets which deletions were sent of the contacts of a list that still exist, which are all but the missing ones.
pub fn forget_sent_deletions(core: &Core, list: i64, missing: &[i64]) -> Result<(), Error> {
    let mut sent = core.read(|tx| Ok(answers::find_about(tx, SyncedTable::Contacts, answers::DELETION_SENT)?))?;
    let missing: HashSet<i64> = missing.iter().copied().collect();
    sent.retain(|id| !missing.contains(id));
    if sent.is_empty() {
        return Ok(());
    }
    core.write_quietly(|tx| {
        for id in sent {
            let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?;
            if known.was_in.or(known.list) == Some(list) {
                answers::set_answer(tx, SyncedTable::Contacts, &id, answers::DELETION_SENT, None)?;
            }
        }
        Ok(())
    })
}

/// Merges the absence of contacts that no longer exist at the service.
pub fn merge_missing(core: &Core, list: i64, contacts: &[i64]) -> Result<MergeCounts, Error> {
    let rules = MergeContext::read(core)?;
    core.write(&Actor::sync(), |tx| {
        let mut merged = MergeCounts::default();
        for id in contacts {
            if changes::is_restored(tx, SyncedTable::Contacts, *id)? {
                changes::mark_record_new(tx, SyncedTable::Contacts, *id, Some(list))?;
            } else {
                merge_contact(tx, &rules, (list, *id), None, &mut merged)?;
            }
        }
        log_removals(tx, Noun::Contact, merged.removed);
        if merged.removed > 0
            && let Some((name, _)) = local::read_list(tx, list)?
        {
            let act = ActDescription::new("sync_remove_contacts").with_subject(name).with_count(merged.removed);
            tx.describe_act(act.into_trash(Noun::Contact));
        }
        Ok(merged)
    })
}

/// Merges what the service is known to have of these contacts, because an answer or an undo settled it.
pub fn merge_settled_contacts(core: &Core, contacts: &[i64]) -> Result<MergeCounts, Error> {
    if contacts.is_empty() {
        return Ok(MergeCounts::default());
    }
    let rules = MergeContext::read(core)?;
    core.write(&Actor::sync(), |tx| {
        let merged = merge_settled(tx, &rules, contacts)?;
        merged.log_changes(tx, None)?;
        Ok(merged)
    })
}

/// Does the same as part of another act, so that its undo takes this back as well.
pub fn merge_settled(tx: &WriteTx, rules: &MergeContext<'_>, contacts: &[i64]) -> Result<MergeCounts, Error> {
    let mut merged = MergeCounts::default();
    for id in contacts {
        let touched = changes::read_record::<i64>(tx, SyncedTable::Contacts, *id)?;
        let Some(list) = touched.was_in.or(touched.list) else { continue };
        let uid = touched.uid.unwrap_or_default();
        let seen = match touched.at_service {
            changes::ServiceState::AsAgreed => continue,
            changes::ServiceState::Deleted => None,
            changes::ServiceState::Changed(cells) => Some(ServiceRecord { uid, cells, times: ServiceTimes::default() }),
        };
        merge_contact(tx, rules, (list, *id), seen.as_ref(), &mut merged)?;
    }
    Ok(merged)
}

/// The most records that a step names. Of more, it only has the count.
pub const NAMED_RECORDS: usize = 5;

/// Describes a pull of some records. `names` are their names, or only the first of them.
fn describe_pull(names: &[String], count: u64) -> ActDescription {
    if names.is_empty() || names.len() > NAMED_RECORDS || names.len() as u64 != count {
        return ActDescription::new("sync_pull").with_count(count);
    }
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    // A number may have opted out of both channels.
    names.dedup();
    ActDescription::new("sync_pull_named").with_subject(list::join_names(names.into_iter())).with_count(count)
}

/// Writes the number of these records to the change log, so that pages are refreshed, and names them in the step.
/// `added` is the number of those that are new.
pub fn log_updates(tx: &WriteTx, noun: Noun, names: &[String], added: u64) {
    let count = names.len() as u64;
    let changed = count.saturating_sub(added);
    for (action, count) in [(ChangeAction::Created, added), (ChangeAction::Updated, changed)] {
        if count > 0 {
            tx.log_change(ChangeLogEntry::bulk(noun, action, count));
        }
    }
    if count > 0 {
        tx.describe_act(describe_pull(names, count));
    }
}

/// Writes to the change log how many records were removed because the service no longer has them. They go to the trash.
pub fn log_removals(tx: &WriteTx, noun: Noun, count: u64) {
    if count > 0 {
        tx.log_change(ChangeLogEntry::bulk(noun, ChangeAction::Deleted, count));
        tx.describe_act(ActDescription::new("sync_remove").with_count(count).into_trash(noun));
    }
}
