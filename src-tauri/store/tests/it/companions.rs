//! Tests the files that SQLite keeps beside an account: those of other programs are left alone, and a log is only
//! folded into its own file.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::Path};

use roost_model::error::ErrorCode;
use roost_store::{change_log::ActorKind, db::Db, files::closed};
use rusqlite::backup::Backup;

use crate::support::{AccountFolder, CONTACTS, add_contacts, add_list, checked_counts};

/// Returns the files of an account as a killed process leaves them: the folder as it is while the account is open.
fn files_after_kill(place: &AccountFolder) -> BTreeMap<String, Vec<u8>> {
    let files = place.files().into_iter().map(|(name, bytes)| (name, bytes.0));
    files.filter(|(name, _)| !name.ends_with("-shm")).collect()
}

fn create_folder(files: &BTreeMap<String, Vec<u8>>) -> AccountFolder {
    let place = AccountFolder::new();
    for (name, bytes) in files {
        fs::write(place.folder.path().join(name), bytes).unwrap();
    }
    place
}

/// Reads the names, kinds and bytes of everything in a folder, the lock included.
fn read_folder(folder: &Path) -> BTreeMap<String, (bool, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let seen = entries.map(|entry| {
        let about = entry.path().symlink_metadata().unwrap();
        let bytes = if about.is_dir() { Vec::new() } else { fs::read(entry.path()).unwrap_or_default() };
        (entry.file_name().into_string().unwrap(), (about.is_symlink(), bytes))
    });
    seen.collect()
}

/// Asserts that nothing that takes an account changes the folder, and that opening it names the file in the way.
fn assert_untouched(place: &AccountFolder, named: &str, case: &str) {
    let before = read_folder(place.folder.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let error = place.open_error();
    assert_eq!(error.code(), ErrorCode::Altered, "{case}: {error}");
    assert!(error.to_string().contains(named), "{case}: {error}");
    assert_eq!(closed::read_setting(&place.file, "account.name"), None, "{case}");
    assert!(closed::copy_account(&place.file, &elsewhere.path().join("copy")).is_err(), "{case}");
    let after = read_folder(place.folder.path());
    assert!(after == before, "{case}: {:?} became {:?}", before.keys(), after.keys());
}

/// The name of a case, and the function that puts something beside the account.
type SpoilCase<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn foreign_files_with_the_names_of_companions_are_left_unchanged() {
    let journal = [b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7".as_slice(), &[0; 600]].concat();
    let spoils: [SpoilCase; 6] = [
        ("notes", &|file: &Path| fs::write(file, "notes").unwrap()),
        ("long notes", &|file: &Path| fs::write(file, "a long note\n".repeat(8_000)).unwrap()),
        ("a journal", &|file: &Path| fs::write(file, &journal).unwrap()),
        ("a link", &|file: &Path| {
            fs::write(file.with_file_name("diary"), "").unwrap();
            symlink("diary", file).unwrap();
        }),
        ("a link to nothing", &|file: &Path| symlink("nowhere", file).unwrap()),
        ("a folder", &|file: &Path| fs::create_dir(file).unwrap()),
    ];
    let filled = files_after_kill(&AccountFolder::filled());
    let accounts = [("a filled account", &filled), ("no account", &BTreeMap::new())];
    for suffix in ["-wal", "-shm", "-journal"] {
        for (what, spoil) in spoils {
            for (whose, files) in accounts {
                let place = create_folder(files);
                let named = format!("account.roost{suffix}");
                spoil(&place.folder.path().join(&named));
                let case = format!("{what} as {suffix} of {whose}");
                assert_untouched(&place, &named, &case);
                if !files.is_empty() {
                    let before = read_folder(place.folder.path());
                    assert!(closed::set_aside(&place.file).is_err(), "{case}");
                    assert!(read_folder(place.folder.path()) == before, "{case}");
                }
                // Repeat the case with an empty file in the account's place, as `touch` makes one.
                if files.is_empty() {
                    fs::write(&place.file, "").unwrap();
                    assert_untouched(&place, &named, &format!("{case}, which is empty"));
                }
            }
        }
    }
}

#[test]
fn databases_of_others_without_tables_are_left_alone() {
    let table: [(&str, &str, bool); 5] = [
        ("empty", "PRAGMA user_version = 7; VACUUM", false),
        ("UTF-16", "PRAGMA encoding = 'UTF-16'; PRAGMA user_version = 1", false),
        ("with a log", "PRAGMA journal_mode = WAL", false),
        (
            "all in the log",
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE songs (title)",
            true,
        ),
        (
            "in its first transaction",
            "PRAGMA cache_size = 5; PRAGMA user_version = 7; VACUUM; BEGIN; CREATE TABLE songs (title);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
             INSERT INTO songs SELECT hex(zeroblob(500)) FROM n",
            true,
        ),
    ];
    for (case, sql, is_killed) in table {
        let theirs = AccountFolder::new();
        let conn = theirs.raw_connection();
        conn.execute_batch(sql).unwrap();
        let files = if is_killed {
            files_after_kill(&theirs)
        } else {
            drop(conn);
            files_after_kill(&theirs)
        };
        assert_eq!(files.len(), 1 + usize::from(is_killed), "{case}");
        let place = create_folder(&files);
        assert_untouched(&place, "account.roost", case);
        assert!(closed::set_aside(&place.file).is_err(), "{case}");
        assert!(!closed::may_be_account(&place.file).unwrap_or(false), "{case}");
    }
}

#[test]
fn changes_are_kept_while_their_file_is_missing() {
    let first = AccountFolder::new();
    let db = first.open().unwrap();
    for number in 0..3 {
        add_list(&db, number).unwrap();
    }
    let files = files_after_kill(&first);
    for replacement in [None, Some("")] {
        let place = create_folder(&files);
        let away = place.folder.path().join("away");
        fs::rename(&place.file, &away).unwrap();
        if let Some(bytes) = replacement {
            fs::write(&place.file, bytes).unwrap();
        }
        assert_untouched(&place, "account.roost-wal", "the file is away");
        fs::rename(&away, &place.file).unwrap();
        assert_eq!(checked_counts(&place.open().unwrap()), (3, 0));
    }
}

/// Tries each file that can be put beside the log of an account, and whether the log is its own.
#[test]
fn a_log_goes_into_its_own_file_only() {
    let place = AccountFolder::filled();
    let older = fs::read(&place.file).unwrap();
    add_and_close(&place, 1);
    let db = place.open().unwrap();
    let begun = fs::read(&place.file).unwrap();
    add_list(&db, 2).unwrap();
    let copy = fs::read(db.copy_beside().unwrap().unwrap()).unwrap();
    add_list(&db, 3).unwrap();
    let files = files_after_kill(&place);
    place.raw_connection().execute_batch("PRAGMA wal_checkpoint(PASSIVE)").unwrap();
    let folded = fs::read(&place.file).unwrap();
    assert!(folded != begun);
    let other = fs::read(&AccountFolder::filled().file).unwrap();
    let fresh = AccountFolder::new();
    drop(fresh.open().unwrap());

    let cases = [
        ("the file as it was", &begun, true),
        ("the file folded", &folded, true),
        ("an older state", &older, false),
        ("a copy that Roost made meanwhile", &copy, false),
        ("another account", &other, false),
        ("a new account", &fs::read(&fresh.file).unwrap(), false),
    ];
    for (case, bytes, is_own) in cases {
        let mut files: BTreeMap<_, _> =
            files.clone().into_iter().filter(|(name, _)| !name.ends_with(".backup")).collect();
        files.insert("account.roost".to_owned(), bytes.clone());
        let place = create_folder(&files);
        if is_own {
            assert_eq!(checked_counts(&place.open().unwrap()), (4, CONTACTS), "{case}");
            continue;
        }
        assert_untouched(&place, "account.roost-wal", case);
        fs::rename(place.folder.path().join("account.roost-wal"), place.folder.path().join("away")).unwrap();
        drop(place.open().unwrap());
        assert!(fs::read(place.folder.path().join("away")).unwrap() == files["account.roost-wal"]);
    }
}

/// A file is renamed or copied without its log, or with it, both are changed, and the log of one is found beside the
/// other.
#[test]
fn two_histories_of_one_file_are_not_mixed() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    for number in 1..=6 {
        add_list(&db, number).unwrap();
    }
    let files = files_after_kill(&place);
    let log = "account.roost-wal";
    let without_log = files.clone().into_iter().filter(|(name, _)| name != log).collect();
    for (case, start, lists) in [("without its log", without_log, 1), ("with its log", files.clone(), 7)] {
        let other = create_folder(&start);
        for number in 11..=12 {
            add_and_close(&other, number);
        }
        if lists == 7 {
            for number in 7..=20 {
                add_list(&db, number).unwrap();
            }
        }
        let foreign = &files_after_kill(&place)[log];
        fs::write(other.folder.path().join(log), foreign).unwrap();
        assert_untouched(&other, log, case);
        fs::remove_file(other.folder.path().join(log)).unwrap();
        assert_eq!(checked_counts(&other.open().unwrap()), (lists + 2, CONTACTS), "{case}");
    }
}

/// SQLite folds a long log into the file after a commit, and begins it again with the next one.
#[test]
fn an_account_that_is_killed_after_its_first_commit_is_opened_again() {
    let place = AccountFolder::filled();
    add_and_close(&place, 1);
    let db = place.open().unwrap();
    add_contacts(&db, ActorKind::Operator, 1, 20 * CONTACTS).unwrap();
    let after_large_commit = files_after_kill(&place);
    assert!(after_large_commit["account.roost-wal"].len() > 1_000 * 4_096, "long enough to be folded");
    assert_eq!(checked_counts(&create_folder(&after_large_commit).open().unwrap()), (2, 21 * CONTACTS));

    let with_long_log = create_folder(&after_large_commit);
    let db = with_long_log.open().unwrap();
    add_list(&db, 2).unwrap();
    let after_small_commit = create_folder(&files_after_kill(&with_long_log));
    assert_eq!(checked_counts(&after_small_commit.open().unwrap()), (3, 21 * CONTACTS));
}

fn add_and_close(place: &AccountFolder, number: u64) {
    let db = place.open().unwrap();
    add_list(&db, number).unwrap();
}

fn commit_number(place: &AccountFolder) -> u32 {
    place.raw_connection().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn every_commit_has_the_next_number_whatever_takes_the_place_of_the_content() {
    let place = AccountFolder::filled();
    let before = commit_number(&place);
    assert!(before > 0);
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    let first = commit_number(&place);
    assert!(!(before..before + 10).contains(&first), "each opening has numbers of its own: {before}, {first}");
    add_list(&db, 2).unwrap();
    assert_eq!(commit_number(&place), first + 1);
    let image = Db::open(&AccountFolder::filled().file).unwrap().take_image().unwrap();
    db.replace(&image, || ()).unwrap();
    assert_eq!(commit_number(&place), first + 2);
    drop(db);
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
}

#[test]
fn an_account_of_an_earlier_version_gets_numbers_of_its_own() {
    let place = AccountFolder::filled();
    place.raw_connection().execute_batch("PRAGMA user_version = 0").unwrap();
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
    assert!(commit_number(&place) > 0);
    assert_eq!(place.files().len(), 1);
}

/// Earlier versions left a new account in this state, with all of its tables in the log.
#[test]
fn an_account_that_is_all_in_its_log_needs_the_log() {
    let place = AccountFolder::filled();
    place.raw_connection().execute_batch("PRAGMA user_version = 0").unwrap();
    let earlier = AccountFolder::new();
    let mut conn = earlier.raw_connection();
    conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").unwrap();
    Backup::new(&place.raw_connection(), &mut conn).unwrap().step(-1).unwrap();
    let mut files = files_after_kill(&earlier);
    assert_eq!(files["account.roost"].len(), 4_096);

    assert_eq!(checked_counts(&create_folder(&files).open().unwrap()), (1, CONTACTS));
    let aside = create_folder(&files);
    let name = closed::set_aside(&aside.file).unwrap();
    assert_eq!(checked_counts(&Db::open(&name).unwrap()), (1, CONTACTS));
    files.remove("account.roost-wal");
    assert_untouched(&create_folder(&files), "account.roost-wal, which is missing", "without its log");
}
