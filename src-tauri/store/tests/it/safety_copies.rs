//! Tests which acts are copied before, and what such a copy holds.

use std::fs;

use roost_model::time::Timestamp;
use roost_store::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    db::{Db, UndoMemory, WriteOptions},
    error::StoreError,
    tables::sync::lease,
    upkeep::backup::{self, CopyReason},
};

use crate::support::{
    AccountFolder, CONTACTS, add_contacts, add_list, checked_counts, delete_list, read_lists, write_options,
};

const BULK: u64 = 1_000;

/// Returns the reasons of the copies, the newest first, with the number of contacts in each list of a copy.
fn copies(place: &AccountFolder, db: &Db) -> Vec<(CopyReason, Vec<u64>)> {
    db.finish_copies();
    let copies = backup::list_copies(&place.file).into_iter();
    copies.map(|copy| (copy.reason, read_lists(&copy.path).into_values().collect())).collect()
}

#[test]
fn a_person_s_act_on_a_thousand_records_is_copied_before() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    add_contacts(&db, ActorKind::User, 1, BULK - 5).unwrap();
    assert_eq!(copies(&place, &db), [], "a few records less");
    add_list(&db, 2).unwrap();
    add_contacts(&db, ActorKind::Import, 2, BULK).unwrap();
    let first = [(CopyReason::BulkAct, vec![CONTACTS, BULK - 5, 0])];
    assert_eq!(copies(&place, &db), first);
    delete_list(&db, ActorKind::User, 0).unwrap();
    let second = [(CopyReason::BulkAct, vec![CONTACTS, BULK - 5, BULK])];
    assert_eq!(copies(&place, &db), [second, first].concat());
    assert_eq!(checked_counts(&db), (2, 2 * BULK - 5));
    assert!(!db.has_failed_copy());
}

#[test]
fn a_program_s_act_is_copied_before_if_it_removes_a_thousand_records() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    for source in [ActorKind::Interface, ActorKind::Job, ActorKind::Operator] {
        add_list(&db, 1).unwrap();
        add_contacts(&db, source, 1, BULK).unwrap();
        delete_list(&db, ActorKind::Sync, 1).unwrap();
    }
    assert_eq!(copies(&place, &db), []);
    delete_list(&db, ActorKind::Interface, 0).unwrap();
    assert_eq!(copies(&place, &db), [(CopyReason::BulkAct, vec![CONTACTS])]);
}

#[test]
fn an_act_without_undo_memory_or_in_an_account_in_memory_makes_no_copy() {
    let (place, memory) = (AccountFolder::filled(), Db::in_memory().unwrap());
    let db = place.open().unwrap();
    let unrecorded = WriteOptions { memory: UndoMemory::Off, ..write_options() };
    let change = ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Deleted, BULK);
    let log = |db: &Db| {
        db.write(unrecorded.clone(), |tx| {
            tx.log_change(change.clone());
            Ok::<_, StoreError>(())
        })
    };
    log(&db).unwrap();
    assert_eq!(copies(&place, &db), []);
    add_list(&memory, 1).unwrap();
    add_contacts(&memory, ActorKind::User, 1, BULK).unwrap();
    memory.finish_copies();
}

#[test]
fn a_pull_is_copied_before_its_first_removal_alone() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    for list in 1..=5 {
        add_list(&db, list).unwrap();
    }
    let hold = |owner: &str, then: &dyn Fn()| {
        db.write_quietly(|tx| lease::acquire_lease(tx, owner, Timestamp::from_unix(0))).unwrap();
        then();
        db.write_quietly(|tx| lease::release_lease(tx, owner)).unwrap();
    };
    hold("pull 1", &|| {
        add_contacts(&db, ActorKind::Sync, 1, BULK).unwrap();
        delete_list(&db, ActorKind::Sync, 2).unwrap();
        db.finish_copies();
        delete_list(&db, ActorKind::Sync, 3).unwrap();
    });
    let first = [(CopyReason::Pull, vec![CONTACTS, BULK, 0, 0, 0, 0])];
    assert_eq!(copies(&place, &db), first);
    hold("run 2", &|| delete_list(&db, ActorKind::Sync, 4).unwrap());
    assert_eq!(copies(&place, &db).len(), 1, "a push removes what was removed here before");
    hold("pull 3", &|| delete_list(&db, ActorKind::Sync, 5).unwrap());
    let second = [(CopyReason::Pull, vec![CONTACTS, BULK, 0])];
    assert_eq!(copies(&place, &db), [second, first].concat());
}

#[test]
fn nothing_is_copied_twice_in_the_same_state() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    backup::make_backup(&place.file).unwrap();
    let reasons = || copies(&place, &db).into_iter().map(|(reason, _)| reason).collect::<Vec<_>>();
    delete_list(&db, ActorKind::User, 0).unwrap();
    assert_eq!(reasons(), [CopyReason::Backup]);
    add_list(&db, 1).unwrap();
    add_contacts(&db, ActorKind::User, 1, BULK).unwrap();
    assert_eq!(reasons().len(), 2);
    // A copy in which there is damage by now is none.
    let newest = place.folder.path().join("account.roost.saved-29990105-090000.backup");
    fs::rename(backup::make_backup(&place.file).unwrap(), &newest).unwrap();
    let mut bytes = fs::read(&newest).unwrap();
    bytes[8_192..40_000].fill(0x5a);
    fs::write(&newest, bytes).unwrap();
    delete_list(&db, ActorKind::User, 1).unwrap();
    db.finish_copies();
    let reasons: Vec<_> = backup::list_copies(&place.file).into_iter().map(|copy| copy.reason).collect();
    assert_eq!(reasons, [CopyReason::Backup, CopyReason::BulkAct, CopyReason::BulkAct, CopyReason::Backup]);
}

#[test]
fn a_run_of_large_acts_pushes_out_no_copy_of_another_kind() {
    let place = AccountFolder::filled();
    let others = ["daily-20260105-090000", "v5-20260105-090000", "saved-20260105-090000", "pull-20260105-090000"];
    for other in others {
        fs::copy(&place.file, place.folder.path().join(format!("account.roost.{other}.backup"))).unwrap();
    }
    let db = place.open().unwrap();
    for list in 1..=7 {
        add_list(&db, list).unwrap();
        add_contacts(&db, ActorKind::User, list, BULK).unwrap();
        db.finish_copies();
    }
    let names: Vec<String> = place.files().into_keys().collect();
    assert_eq!(names.iter().filter(|name| name.contains(".bulk-")).count(), 5, "{names:?}");
    assert!(others.iter().all(|other| names.iter().any(|name| name.contains(other))), "{names:?}");
    let newest = copies(&place, &db).remove(0);
    assert_eq!(newest, (CopyReason::BulkAct, vec![CONTACTS, BULK, BULK, BULK, BULK, BULK, BULK, 0]));
}

#[test]
fn an_act_that_cannot_be_copied_before_is_done_all_the_same() {
    let mut place = AccountFolder::new();
    // The name of a copy would be longer than a name may be.
    place.file = place.folder.path().join("a".repeat(230));
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    add_contacts(&db, ActorKind::User, 1, BULK).unwrap();
    assert_eq!(copies(&place, &db), []);
    assert!(db.has_failed_copy());
    assert_eq!(checked_counts(&db), (1, BULK));
}
