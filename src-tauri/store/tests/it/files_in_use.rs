//! Tests files that are in use by another opener, or by another program through SQLite's own locks.

use std::{
    fs,
    time::{Duration, Instant},
};

use roost_model::error::ErrorCode;
use roost_store::{db::Db, files::closed};

use crate::support::{AccountFolder, CONTACTS, add_list, checked_counts};

#[test]
fn the_second_opener_learns_who_holds_the_file() {
    let place = AccountFolder::filled();
    let first = place.open().unwrap();
    let error = place.open_error();
    assert_eq!(error.code(), ErrorCode::Locked);
    let message = error.to_string();
    assert!(
        message.contains("account.roost") && message.contains(&format!("process {}", std::process::id())),
        "{message}"
    );
    assert_eq!(checked_counts(&first), (1, CONTACTS));
    drop(first);
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
}

#[test]
fn another_name_of_the_same_file_is_the_same_file() {
    let place = AccountFolder::filled();
    let other = place.folder.path().join("link");
    std::os::unix::fs::symlink(&place.file, &other).unwrap();
    let first = Db::open(&other).unwrap();
    assert_eq!(place.open_error().code(), ErrorCode::Locked);
    drop(first);
    let dotted = place.folder.path().join("./account.roost");
    let _first = place.open().unwrap();
    assert_eq!(Db::open(&dotted).err().unwrap().code(), ErrorCode::Locked);
}

#[test]
fn a_damaged_file_behind_a_link_is_set_aside_where_it_lies() {
    let place = AccountFolder::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("real.roost");
    let whole = fs::read(&AccountFolder::filled().file).unwrap();
    fs::write(&target, &whole[..whole.len() / 2]).unwrap();
    std::os::unix::fs::symlink(&target, &place.file).unwrap();
    assert_eq!(place.open_error().code(), ErrorCode::Corrupt);
    closed::set_aside(&place.file).unwrap();
    assert!(place.file.is_symlink());
    let names: Vec<_> =
        fs::read_dir(elsewhere.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name.starts_with("real.roost.damaged-")), "{names:?}");
}

/// While another program writes for long, reads continue. A write waits a while and then fails without changing
/// anything.
#[test]
fn a_write_lock_of_another_program_is_waited_for_and_reported() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    let other = place.raw_connection();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE lists SET name = 'theirs'").unwrap();
    let began = Instant::now();
    let error = add_list(&db, 1).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert_eq!(error.code(), ErrorCode::Locked, "{error}");
    assert!(error.to_string().contains("another program"), "{error}");
    assert_eq!(db.read(roost_store::tables::counts::get).unwrap().lists, 1);
    other.execute_batch("ROLLBACK").unwrap();
    add_list(&db, 1).unwrap();
    assert_eq!(checked_counts(&db), (2, CONTACTS));
}

#[test]
fn a_short_write_of_another_program_is_waited_out() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    let other = place.raw_connection();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE lists SET name = 'theirs'").unwrap();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.execute_batch("COMMIT").unwrap();
    });
    add_list(&db, 1).unwrap();
    writer.join().unwrap();
    assert_eq!(checked_counts(&db), (2, CONTACTS));
}

#[test]
fn a_known_file_is_opened_while_another_program_writes_to_it() {
    let place = AccountFolder::filled();
    let other = place.raw_connection();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE lists SET name = 'theirs'").unwrap();
    let db = place.open().unwrap();
    assert_eq!(db.read(roost_store::tables::counts::get).unwrap().lists, 1);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(checked_counts(&db), (1, CONTACTS));
}

#[test]
fn a_file_that_another_program_keeps_for_itself_is_not_opened() {
    let place = AccountFolder::filled();
    let other = place.raw_connection();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE lists SET name = 'theirs'").unwrap();
    let error = place.open_error();
    assert_eq!(error.code(), ErrorCode::Locked, "{error}");
    assert!(error.to_string().contains("another program"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
}

/// Its commits are then numbered from 0.
#[test]
fn an_account_of_an_earlier_version_is_opened_while_another_program_reads_it() {
    let place = AccountFolder::filled();
    place.raw_connection().execute_batch("PRAGMA user_version = 0").unwrap();
    let other = place.raw_connection();
    other.execute_batch("BEGIN; SELECT count(*) FROM lists").unwrap();
    let db = place.open().unwrap();
    crate::support::add_list(&db, 1).unwrap();
    other.execute_batch("COMMIT").unwrap();
    drop((other, db));
    assert_eq!(checked_counts(&place.open().unwrap()), (2, CONTACTS));
}

/// The file has no content of Roost, so it belongs to that program.
#[test]
fn a_file_that_another_program_begins_is_not_taken() {
    let place = AccountFolder::new();
    let other = place.raw_connection();
    other.execute_batch("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE").unwrap();
    let error = place.open_error();
    assert_eq!(error.code(), ErrorCode::Altered, "{error}");
    other.execute_batch("CREATE TABLE songs (title TEXT); COMMIT").unwrap();
}
