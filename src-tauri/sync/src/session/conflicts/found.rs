//! Finds the open conflicts once, and caches them by ids and fields alone.

use std::collections::BTreeMap;

use roost_ops::StoreError;
use roost_reconcile::{
    input::{ContactChange, ListChoice, OptOutAnswer},
    merge::{Dispute, Fork, Policy},
    row::Field,
};
use roost_store::{
    tables::sync::{
        Place, answers,
        changes::{self, There},
        screens::changes::{self as found, Wanted},
    },
    tx::ReadTx,
};

use super::super::{RecordChoice, RuleSettles};
use crate::gather;

/// The number of records read at once.
pub(super) const STRETCH: u32 = 1_000;

/// A contact with a conflict: its open fields, or none if the service deleted it.
pub(super) struct Disputed {
    pub id: i64,
    pub fields: Vec<Field>,
}

/// The conflicts by ids and fields alone, so that a million stay small.
#[derive(Default)]
pub struct Disputes {
    /// The lists with a conflict, each with the choice made for it.
    pub(super) lists: Vec<(i64, Option<RecordChoice>)>,
    pub(super) opt_outs: Vec<(String, Option<RecordChoice>)>,
    pub(super) contacts: Vec<Disputed>,
    pub(super) fields: BTreeMap<Field, (u64, RuleSettles)>,
}

impl Disputes {
    pub fn unanswered(&self) -> u64 {
        let lists = self.lists.iter().filter(|(_, choice)| choice.is_none()).count();
        let opt_outs = self.opt_outs.iter().filter(|(_, choice)| choice.is_none()).count();
        (lists + opt_outs + self.contacts.len()) as u64
    }

    /// Counts the lists and opt-outs that are decided and wait for the next push or pull.
    pub fn answered(&self) -> u64 {
        self.lists.iter().filter(|(_, choice)| choice.is_some()).count() as u64 + self.answered_opt_outs()
    }

    pub fn answered_opt_outs(&self) -> u64 {
        self.opt_outs.iter().filter(|(_, choice)| choice.is_some()).count() as u64
    }

    /// Finds all open conflicts.
    pub(super) fn of(tx: &ReadTx) -> Result<Self, StoreError> {
        let mut all = Self::default();
        let policy = gather::policy(tx)?;
        each(tx, Place::Lists, |id| {
            let Some(id) = id.parse().ok() else { return Ok(()) };
            let list = changes::one::<i64>(tx, Place::Lists, id)?;
            let is_open = match (&list.local, &list.there) {
                (Some(_), There::Gone) => inside(tx, id)? > 0,
                (None, There::Is(_)) => list.base.is_some(),
                _ => false,
            };
            if is_open {
                let choice = answers::of(tx, Place::Lists, id)?.into_iter().find(|told| told.about == "choice");
                let choice = choice.and_then(|told| serde_json::from_str::<ListChoice>(&told.answer).ok());
                all.lists.push((id, choice.and_then(list_choice)));
            }
            Ok(())
        })?;
        each(tx, Place::OptOuts, |id| {
            let record = changes::one::<String>(tx, Place::OptOuts, id.to_owned())?;
            if record.there == There::Gone && record.local.is_some() && record.base.is_some() {
                let choice = answers::of(tx, Place::OptOuts, id.to_owned())?.into_iter().next();
                let choice = choice.and_then(|told| serde_json::from_str::<OptOutAnswer>(&told.answer).ok());
                all.opt_outs.push((id.to_owned(), choice.map(|OptOutAnswer::CreateAgain| RecordChoice::CreateAgain)));
            }
            Ok(())
        })?;
        each(tx, Place::Contacts, |id| {
            let Some(id) = id.parse().ok() else { return Ok(()) };
            all.look(id, &change(tx, id)?, &policy);
            Ok(())
        })?;
        Ok(all)
    }

    fn look(&mut self, id: i64, change: &ContactChange, policy: &Policy) {
        match change.settle(policy) {
            Ok(_) => {}
            Err(Dispute::DeletedThere) => self.contacts.push(Disputed { id, fields: Vec::new() }),
            Err(Dispute::Fields { forks }) => {
                for fork in &forks {
                    let (count, settles) = self.fields.entry(fork.field).or_default();
                    *count += 1;
                    settles.add(fork);
                }
                self.contacts.push(Disputed { id, fields: forks.into_iter().map(|fork| fork.field).collect() });
            }
        }
    }

    pub(super) fn with_field(&self, field: Field) -> Vec<i64> {
        self.contacts.iter().filter(|one| one.fields.contains(&field)).map(|one| one.id).collect()
    }

    pub(super) fn deleted_there(&self) -> Vec<i64> {
        self.contacts.iter().filter(|one| one.fields.is_empty()).map(|one| one.id).collect()
    }

    pub(super) fn get(&self, id: i64) -> Option<&Disputed> {
        self.contacts.binary_search_by_key(&id, |one| one.id).ok().map(|at| &self.contacts[at])
    }
}

impl RuleSettles {
    fn add(&mut self, fork: &Fork) {
        let length = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
        self.mine += 1;
        self.theirs += 1;
        self.non_empty += u64::from(fork.mine.is_some() != fork.theirs.is_some());
        self.longer += u64::from(length(&fork.mine) != length(&fork.theirs));
    }
}

/// Calls `look` with every record whose state at the service could not be merged.
fn each(tx: &ReadTx, place: Place, mut look: impl FnMut(&str) -> Result<(), StoreError>) -> Result<(), StoreError> {
    let mut behind: Option<String> = None;
    loop {
        let ids = found::disputed(tx, place, behind.as_deref(), STRETCH)?;
        for id in &ids {
            look(id)?;
        }
        match ids.into_iter().next_back() {
            Some(last) => behind = Some(last),
            None => return Ok(()),
        }
    }
}

pub(super) fn change(tx: &ReadTx, id: i64) -> Result<ContactChange, StoreError> {
    let touched = changes::one::<i64>(tx, Place::Contacts, id)?;
    let decided = gather::decided(answers::of(tx, Place::Contacts, id)?).remove(&id).unwrap_or_default();
    Ok(gather::change(touched, decided))
}

/// Counts the changed contacts inside a list.
pub(super) fn inside(tx: &ReadTx, list: i64) -> Result<u64, StoreError> {
    let wanted = Wanted { list: Some(list), ..Wanted::default() };
    Ok(found::counts(tx, Place::Contacts, &wanted)?.iter().map(|counted| counted.count).sum())
}

fn list_choice(choice: ListChoice) -> Option<RecordChoice> {
    match choice {
        ListChoice::Recreate => Some(RecordChoice::Recreate),
        ListChoice::Discard => Some(RecordChoice::Discard),
        ListChoice::DeleteAnyway => Some(RecordChoice::DeleteAnyway),
        ListChoice::Alias => None,
    }
}
