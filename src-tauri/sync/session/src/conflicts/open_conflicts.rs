//! Finds the open conflicts once, and caches them by ids and fields alone.

use std::collections::BTreeMap;

use roost_ops::StoreError;
use roost_reconcile::{
    input::{ContactChange, ListChoice, OptOutAnswer},
    merge::{FieldFork, MergeDispute, MergePolicy},
    row::SyncField,
};
use roost_store::{
    tables::sync::{
        SyncedTable, answers,
        changes::{self, ServiceState},
        screens::unsent_records::{self as unsent_records, UnsentFilter},
    },
    tx::ReadTx,
};
use roost_sync::gather;

use crate::{RecordChoice, RuleEffect};

/// The number of records read at once.
pub(super) const RECORDS_PER_READ: u32 = 1_000;

/// A contact with a conflict: its open fields, or none if the service deleted it.
pub(super) struct ContactConflict {
    pub id: i64,
    pub fields: Vec<SyncField>,
}

/// The conflicts by ids and fields alone, so that a million stay small.
#[derive(Default)]
pub(crate) struct OpenConflicts {
    /// The lists with a conflict, each with the choice made for it.
    pub(super) lists: Vec<(i64, Option<RecordChoice>)>,
    pub(super) opt_outs: Vec<(String, Option<RecordChoice>)>,
    pub(super) contacts: Vec<ContactConflict>,
    pub(super) fields: BTreeMap<SyncField, (u64, RuleEffect)>,
}

impl OpenConflicts {
    pub(crate) fn unanswered_count(&self) -> u64 {
        let lists = self.lists.iter().filter(|(_, choice)| choice.is_none()).count();
        (lists + self.open_opt_outs().count() + self.contacts.len()) as u64
    }

    /// Counts the lists and opt-outs that are decided and wait for the next push or pull.
    pub(crate) fn answered_count(&self) -> u64 {
        self.lists.iter().filter(|(_, choice)| choice.is_some()).count() as u64 + self.answered_opt_out_count()
    }

    /// Returns the keys of the opt-outs that nobody has decided about.
    pub(super) fn open_opt_outs(&self) -> impl Iterator<Item = &str> {
        self.opt_outs.iter().filter(|(_, choice)| choice.is_none()).map(|(id, _)| id.as_str())
    }

    pub(crate) fn answered_opt_out_count(&self) -> u64 {
        self.opt_outs.iter().filter(|(_, choice)| choice.is_some()).count() as u64
    }

    /// Finds all open conflicts.
    pub(super) fn read(tx: &ReadTx) -> Result<Self, StoreError> {
        let mut all = Self::default();
        let policy = gather::read_policy(tx)?;
        for_each_unmerged(tx, SyncedTable::Lists, |id| {
            let Some(id) = id.parse().ok() else { return Ok(()) };
            let list = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?;
            let is_open = match (&list.local, &list.at_service) {
                (Some(_), ServiceState::Deleted) => count_changes_inside(tx, id)? > 0,
                (None, ServiceState::Changed(_)) => list.base.is_some(),
                _ => false,
            };
            if is_open {
                let choice = answers::read_of_record(tx, SyncedTable::Lists, id)?
                    .into_iter()
                    .find(|stored| stored.about == "choice");
                let choice = choice.and_then(|stored| serde_json::from_str::<ListChoice>(&stored.answer).ok());
                all.lists.push((id, choice.and_then(to_record_choice)));
            }
            Ok(())
        })?;
        for_each_unmerged(tx, SyncedTable::OptOuts, |id| {
            let record = changes::read_record::<String>(tx, SyncedTable::OptOuts, id.to_owned())?;
            if record.at_service == ServiceState::Deleted && record.local.is_some() && record.base.is_some() {
                let choice = answers::read_of_record(tx, SyncedTable::OptOuts, id.to_owned())?.into_iter().next();
                let choice = choice.and_then(|stored| serde_json::from_str::<OptOutAnswer>(&stored.answer).ok());
                all.opt_outs.push((id.to_owned(), choice.map(|OptOutAnswer::CreateAgain| RecordChoice::CreateAgain)));
            }
            Ok(())
        })?;
        for_each_unmerged(tx, SyncedTable::Contacts, |id| {
            let Some(id) = id.parse().ok() else { return Ok(()) };
            all.add_contact(id, &read_change(tx, id)?, &policy);
            Ok(())
        })?;
        Ok(all)
    }

    fn add_contact(&mut self, id: i64, change: &ContactChange, policy: &MergePolicy) {
        match change.settle_merge(policy) {
            Ok(_) => {}
            Err(MergeDispute::DeletedThere) => self.contacts.push(ContactConflict { id, fields: Vec::new() }),
            Err(MergeDispute::Fields { forks }) => {
                for fork in &forks {
                    let (count, settles) = self.fields.entry(fork.field).or_default();
                    *count += 1;
                    settles.add_fork(fork);
                }
                self.contacts.push(ContactConflict { id, fields: forks.into_iter().map(|fork| fork.field).collect() });
            }
        }
    }

    pub(super) fn with_field(&self, field: SyncField) -> Vec<i64> {
        self.contacts.iter().filter(|one| one.fields.contains(&field)).map(|one| one.id).collect()
    }

    pub(super) fn deleted_there(&self) -> Vec<i64> {
        self.contacts.iter().filter(|one| one.fields.is_empty()).map(|one| one.id).collect()
    }

    pub(super) fn get(&self, id: i64) -> Option<&ContactConflict> {
        self.contacts.binary_search_by_key(&id, |one| one.id).ok().map(|at| &self.contacts[at])
    }
}

impl RuleEffect {
    fn add_fork(&mut self, fork: &FieldFork) {
        let length = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
        self.mine += 1;
        self.theirs += 1;
        self.non_empty += u64::from(fork.mine.is_some() != fork.theirs.is_some());
        self.longer += u64::from(length(&fork.mine) != length(&fork.theirs));
    }
}

/// Calls `look` with every record whose state at the service could not be merged.
fn for_each_unmerged(
    tx: &ReadTx,
    place: SyncedTable,
    mut look: impl FnMut(&str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut behind: Option<String> = None;
    loop {
        let ids = unsent_records::unmerged_ids(tx, place, behind.as_deref(), RECORDS_PER_READ)?;
        for id in &ids {
            look(id)?;
        }
        match ids.into_iter().next_back() {
            Some(last) => behind = Some(last),
            None => return Ok(()),
        }
    }
}

pub(super) fn read_change(tx: &ReadTx, id: i64) -> Result<ContactChange, StoreError> {
    let touched = changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?;
    let decided = gather::decisions_by_record(answers::read_of_record(tx, SyncedTable::Contacts, id)?)
        .remove(&id)
        .unwrap_or_default();
    Ok(gather::build_change(touched, decided))
}

/// Counts the changed contacts inside a list.
pub(super) fn count_changes_inside(tx: &ReadTx, list: i64) -> Result<u64, StoreError> {
    let wanted = UnsentFilter { list: Some(list), ..UnsentFilter::default() };
    Ok(unsent_records::count_by_kind(tx, SyncedTable::Contacts, &wanted)?.iter().map(|counted| counted.count).sum())
}

fn to_record_choice(choice: ListChoice) -> Option<RecordChoice> {
    match choice {
        ListChoice::Recreate => Some(RecordChoice::Recreate),
        ListChoice::Discard => Some(RecordChoice::Discard),
        ListChoice::DeleteAnyway => Some(RecordChoice::DeleteAnyway),
        ListChoice::Alias => None,
    }
}
