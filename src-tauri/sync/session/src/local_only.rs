//! Counts the differences that stay local by choice: they are changes, but nothing of them is sent.

use std::collections::BTreeSet;

use roost_ops::Error;
use roost_reconcile::{
    input::{ChangeChoice, ListChoice},
    plan::{StepKind, make_plan},
};
use roost_store::{
    tables::sync::{
        SyncedTable, answers,
        changes::{self, SyncChange},
    },
    tx::ReadTx,
};
use roost_sync::gather;
use serde::Serialize;

/// Counts the records that have no other difference.
pub(super) fn count_local_only(tx: &ReadTx) -> Result<u64, Error> {
    let is_agreed = |record: &SyncChange<i64>| record.base.is_some() && record.base != record.local;
    let lists = records_with_choice(tx, SyncedTable::Lists, ListChoice::Alias)?.into_iter().filter(is_agreed).count();
    let links = records_with_choice(tx, SyncedTable::ShortLinks, ChangeChoice::KeepLocal)?
        .into_iter()
        .filter(is_agreed)
        .count();
    let mut contacts = records_with_choice(tx, SyncedTable::Contacts, ChangeChoice::KeepLocal)?;
    contacts.retain(|contact| contact.base != contact.local || contact.was_in.is_some());
    if !contacts.is_empty() {
        let (mut sent, mut uploaded) = (BTreeSet::new(), BTreeSet::new());
        for step in make_plan(gather::gather_input(tx)?).steps {
            match step.kind {
                StepKind::Contacts { items, .. } => sent.extend(items.into_iter().map(|item| item.id)),
                StepKind::Upload { list, .. } => drop(uploaded.insert(Some(list))),
                _ => {}
            }
        }
        contacts.retain(|contact| !sent.contains(&contact.id) && !uploaded.contains(&contact.list));
    }
    Ok((lists + links + contacts.len()) as u64)
}

/// Returns the local records with this choice. Held records are counted elsewhere.
fn records_with_choice(tx: &ReadTx, place: SyncedTable, choice: impl Serialize) -> Result<Vec<SyncChange<i64>>, Error> {
    let choice = serde_json::to_string(&choice).unwrap_or_default();
    let answers = answers::read_all::<i64>(tx, place)?;
    let held: BTreeSet<i64> = answers.iter().filter(|one| one.about == "held").map(|one| one.id).collect();
    let mut records = Vec::new();
    for answer in answers.iter().filter(|one| one.about == "choice" && one.answer == choice) {
        let record = changes::read_record::<i64>(tx, place, answer.id)?;
        if record.local.is_some() && !held.contains(&answer.id) {
            records.push(record);
        }
    }
    Ok(records)
}
