//! Tests that whoever only looks at an account changes nothing of it, whatever a killed program left, and that a damaged
//! log is named and kept.

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    io,
    path::Path,
};

use roost_store::{
    files::{closed, output::Overwrite},
    upkeep::{
        backup,
        check::{self, FaultArea},
        health,
        held::{self, WantedNumber},
        reading,
    },
};

use crate::{
    endings::SmallDevice,
    support::{AccountFolder, CONTACTS, add_list, checked_counts},
};

type Files = BTreeMap<String, Vec<u8>>;

fn read_files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Returns the files of an account with eight more lists as a killed process leaves them.
fn files_after_kill() -> Files {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    for number in 1..=8 {
        add_list(&db, number).unwrap();
    }
    let mut files = read_files(place.folder.path());
    files.retain(|name, _| !name.ends_with(".lock"));
    assert_eq!(files.len(), 3, "{:?}", files.keys());
    files
}

fn create_folder(files: &Files) -> AccountFolder {
    let place = AccountFolder::new();
    for (name, bytes) in files {
        fs::write(place.folder.path().join(name), bytes).unwrap();
    }
    place
}

/// Looks at an account in every way and returns the areas of the faults that are found.
fn look_everywhere(place: &AccountFolder) -> Vec<FaultArea> {
    let before = read_files(place.folder.path());
    let found = check::check_file(&place.file).unwrap();
    closed::read_setting(&place.file, "account.name");
    backup::is_sound(&place.file);
    reading::read_account(&place.file, |_, _| Ok(())).unwrap();
    health::count_tables(&place.file).unwrap();
    health::count_waiting_work(&place.file).unwrap();
    held::find_held(&place.file, &WantedNumber { e164: "+447700900001", national: "7700900001" }).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let backed_up = backup::write_backup(&place.file, &elsewhere.path().join("copy"), Overwrite::Never);
    assert_eq!(backed_up.is_ok(), found.faults.is_empty(), "no backup lacks a part silently: {backed_up:?}");
    let after = read_files(place.folder.path());
    assert!(after == before, "{:?} became {:?}", before.keys(), after.keys());
    found.faults.into_iter().map(|fault| fault.area).collect()
}

/// Changes one bit in the third of the eight lists that are in the log alone.
fn flip_bit(files: &mut Files) {
    let log = files.get_mut("account.roost-wal").unwrap();
    let at = log.windows(6).position(|part| part == b"list 3").unwrap();
    log[at] ^= 1;
}

#[test]
fn looking_at_a_killed_account_changes_nothing() {
    let place = create_folder(&files_after_kill());
    assert_eq!(look_everywhere(&place), []);
    assert_eq!(checked_counts(&place.open().unwrap()), (9, CONTACTS));
}

#[test]
fn an_account_on_a_full_device_can_be_looked_at() {
    let mut closed = read_files(AccountFolder::filled().folder.path());
    closed.retain(|name, _| !name.ends_with(".lock"));
    for files in [closed, files_after_kill()] {
        let place = AccountFolder::new();
        let Some(_device) = SmallDevice::mount(place.folder.path(), 8 << 20) else { return };
        for (name, bytes) in &files {
            fs::write(place.folder.path().join(name), bytes).unwrap();
        }
        let filled = fs::write(place.folder.path().join("films"), vec![0; 8 << 20]);
        assert_eq!(filled.map_err(|why| why.kind()), Err(io::ErrorKind::StorageFull));
        assert_eq!(look_everywhere(&place), []);
    }
}

#[test]
fn an_empty_log_and_an_old_index_stay_where_they_are() {
    let killed = files_after_kill();
    let index = &killed["account.roost-shm"];
    let closed = read_files(AccountFolder::filled().folder.path());
    for (log, index) in [(Some(&[][..]), None), (None, Some(&index[..])), (Some(&[][..]), Some(&index[..]))] {
        let mut files = closed.clone();
        files.extend(log.map(|bytes| ("account.roost-wal".to_owned(), bytes.to_vec())));
        files.extend(index.map(|bytes| ("account.roost-shm".to_owned(), bytes.to_vec())));
        let place = create_folder(&files);
        assert_eq!(look_everywhere(&place), []);
        assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
    }
}

#[test]
fn a_damaged_log_is_a_fault_and_is_kept_when_the_account_is_opened() {
    let mut files = files_after_kill();
    flip_bit(&mut files);
    let place = create_folder(&files);
    assert_eq!(look_everywhere(&place), [FaultArea::Log]);
    let detail = check::check_file(&place.file).unwrap().faults.remove(0).detail;
    assert!(detail.contains("account.roost-wal is damaged at frame"), "{detail}");
    assert_eq!(checked_counts(&place.open().unwrap()), (3, CONTACTS), "what can be read stays");
    let kept = read_files(place.folder.path());
    let has = |suffix: &str, bytes: &Vec<u8>| {
        let is_kept = |name: &str| name.contains(".damaged-log-") && name.ends_with(suffix);
        kept.iter().any(|(name, kept)| is_kept(name) && kept == bytes)
    };
    assert!(has("", &files["account.roost"]) && has("-wal", &files["account.roost-wal"]), "{:?}", kept.keys());
    assert_eq!(check::check_file(&place.file).unwrap().faults, []);
}

#[test]
fn only_the_newest_damaged_logs_are_kept() {
    let mut files = files_after_kill();
    flip_bit(&mut files);
    let place = create_folder(&files);
    for _ in 0..7 {
        for (name, bytes) in &files {
            fs::write(place.folder.path().join(name), bytes).unwrap();
        }
        drop(place.open().unwrap());
    }
    let kept = read_files(place.folder.path()).into_keys().filter(|name| name.contains(".damaged-log-"));
    assert_eq!(kept.count(), 10, "five accounts with their logs");
}

#[test]
fn a_log_that_was_cut_is_damaged_as_long_as_its_index_knows() {
    let mut files = files_after_kill();
    let log = files.get_mut("account.roost-wal").unwrap();
    log.truncate(log.len() / 2);
    assert_eq!(look_everywhere(&create_folder(&files)), [FaultArea::Log]);
    files.remove("account.roost-shm");
    assert_eq!(look_everywhere(&create_folder(&files)), []);
}

#[test]
fn uncommitted_data_is_not_damage() {
    let place = AccountFolder::filled();
    let conn = place.raw_connection();
    let spill = "PRAGMA cache_size = 5; BEGIN;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
         INSERT INTO ui_state SELECT 'key ' || i, hex(zeroblob(300)) FROM n";
    conn.execute_batch(spill).unwrap();
    let within = create_folder(&read_files(place.folder.path()));
    assert_eq!(look_everywhere(&within), []);
    conn.execute_batch("ROLLBACK; INSERT INTO ui_state VALUES ('key', 'after')").unwrap();
    let after = create_folder(&read_files(place.folder.path()));
    assert!(after.folder.path().join("account.roost-wal").metadata().unwrap().len() > 1 << 20, "its frames are there");
    assert_eq!(look_everywhere(&after), []);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_only_read_has_nothing_beside_it_afterwards() {
    use std::os::unix::fs::PermissionsExt;
    let place = AccountFolder::filled();
    let lock = place.folder.path().join("account.roost.lock");
    drop(fs::remove_file(lock));
    fs::set_permissions(&place.file, Permissions::from_mode(0o400)).unwrap();
    assert_eq!(look_everywhere(&place), []);
}
