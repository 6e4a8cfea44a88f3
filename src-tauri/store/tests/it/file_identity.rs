//! Tests the file of an open account: its other names, its lock, its path, and files of other programs.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, symlink},
    },
    path::Path,
    process::{Child, Command, Stdio},
};

use roost_model::error::ErrorCode;
use roost_store::{
    db::Db,
    files::{closed, output::Overwrite, whole_file},
    upkeep::{
        backup::{self, SideCopy},
        reading,
    },
};

use crate::support::{AccountFolder, CONTACTS, add_list, checked_counts};

/// Another process that holds the file by flock(2), as a Roost in a container does that knows it by another name.
struct LockHolder(Child);

impl LockHolder {
    fn acquire(path: &Path) -> Self {
        let mut child = Command::new("flock")
            .arg("--no-fork")
            .arg(path)
            .args(["sh", "-c", "echo held; read line"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("flock of util-linux");
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 5]).unwrap();
        Self(child)
    }
}

impl Drop for LockHolder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

#[test]
fn an_account_is_opened_once_under_all_of_its_names() {
    let place = AccountFolder::filled();
    let other = place.folder.path().join("b.roost");
    fs::hard_link(&place.file, &other).unwrap();
    let first = place.open().unwrap();
    let message = Db::open(&other).err().unwrap().to_string();
    assert!(message.contains("b.roost") && message.contains(&format!("process {}", std::process::id())), "{message}");
    drop(first);

    let holder = LockHolder::acquire(&other);
    let error = place.open_error();
    assert_eq!(error.code(), ErrorCode::Locked);
    assert!(error.to_string().contains(&format!("process {}", holder.0.id())), "{error}");
    drop(holder);
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
}

/// The second opener must not close a descriptor of the file, because that would drop SQLite's locks of the first.
#[test]
fn a_refused_opener_leaves_the_locks_of_the_first() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    let locks = || {
        let inode = format!(":{}", fs::metadata(&place.file).unwrap().ino());
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let of_file = locks.lines().filter(|line| line.contains("POSIX"));
        of_file.filter(|line| line.split_whitespace().any(|column| column.ends_with(&inode))).count()
    };
    db.read(roost_store::tables::counts::get).unwrap();
    let before = locks();
    assert!(before > 0, "SQLite holds its own lock");
    let other = place.folder.path().join("b.roost");
    fs::hard_link(&place.file, &other).unwrap();
    for path in [&place.file, &other] {
        assert!(Db::open(path).is_err());
        assert!(closed::may_be_account(path).unwrap());
        assert!(closed::set_aside(path).is_err());
    }
    closed::read_setting(&place.file, "account.name");
    assert_eq!(locks(), before);
}

#[test]
fn an_account_stays_locked_without_its_lock_file() {
    let place = AccountFolder::filled();
    let _first = place.open().unwrap();
    fs::remove_file(place.folder.path().join("account.roost.lock")).unwrap();
    assert_eq!(place.open_error().code(), ErrorCode::Locked);
    let holder = AccountFolder::filled();
    let _holder = LockHolder::acquire(&holder.folder.path().join("account.roost.lock"));
    assert_eq!(holder.open_error().code(), ErrorCode::Locked, "an earlier version knows this lock alone");
}

#[test]
fn a_file_that_was_moved_or_replaced_takes_no_writes_until_it_is_back() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    let away = place.folder.path().join("away.roost");
    for (what, spoil) in
        [("moved or deleted", (|_: &Path| ()) as fn(&Path)), ("replaced", |path| fs::write(path, b"").unwrap())]
    {
        fs::rename(&place.file, &away).unwrap();
        spoil(&place.file);
        let error = add_list(&db, 7).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Displaced, "{error:?}");
        assert!(error.to_string().contains(&format!("account.roost was {what}")), "{error}");
        let quietly = db.write_quietly(|_| Ok::<_, roost_store::error::StoreError>(()));
        assert_eq!(quietly.unwrap_err().code(), ErrorCode::Displaced);
        let image = db.take_image().unwrap();
        assert_eq!(db.replace(&image, || ()).unwrap_err().code(), ErrorCode::Displaced);
        assert_eq!(db.read(roost_store::tables::counts::get).unwrap().lists, 1, "it can be read");
        fs::rename(&away, &place.file).unwrap();
    }
    add_list(&db, 1).unwrap();
    drop(db);
    assert_eq!(checked_counts(&place.open().unwrap()), (2, CONTACTS));
}

#[test]
fn an_account_whose_log_was_removed_takes_no_writes_and_loses_none() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    fs::remove_file(place.folder.path().join("account.roost-wal")).unwrap();
    let error = add_list(&db, 2).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Displaced, "{error:?}");
    assert!(error.to_string().contains("account.roost-wal was moved or deleted"), "{error}");
    drop(db);
    assert_eq!(checked_counts(&place.open().unwrap()), (2, CONTACTS));
}

#[test]
fn an_open_account_is_not_read_under_a_name_whose_log_is_elsewhere() {
    let place = AccountFolder::filled();
    let other = place.folder.path().join("b.roost");
    fs::hard_link(&place.file, &other).unwrap();
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    let elsewhere = place.folder.path().join("copy");
    for error in [
        backup::make_backup(&other).unwrap_err(),
        backup::write_backup(&other, &elsewhere, Overwrite::Never).unwrap_err(),
        reading::read_account(&other, |_, _| Ok(())).unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::Locked, "{error}");
    }
    backup::write_backup(&place.file, &elsewhere, Overwrite::Never).unwrap();
    assert_eq!(checked_counts(&Db::open(&elsewhere).unwrap()), (2, CONTACTS));
}

/// SQLite removes the write-ahead log by its name on closing, and by then that name belongs to another file.
#[test]
fn an_account_that_took_the_place_of_an_open_one_keeps_its_log() {
    let place = AccountFolder::filled();
    let first = place.open().unwrap();
    add_list(&first, 1).unwrap();
    let away = tempfile::tempdir().unwrap();
    for name in place.files().keys() {
        fs::rename(place.folder.path().join(name), away.path().join(name)).unwrap();
    }
    fs::remove_file(place.folder.path().join("account.roost.lock")).unwrap();
    let second = place.open().unwrap();
    add_list(&second, 2).unwrap();
    drop(first);
    assert!(place.folder.path().join("account.roost-wal").exists());
    add_list(&second, 3).unwrap();
    drop(second);
    assert_eq!(checked_counts(&place.open().unwrap()), (2, 0));
    fs::remove_file(away.path().join("account.roost-wal")).unwrap();
    assert_eq!(
        checked_counts(&Db::open(&away.path().join("account.roost")).unwrap()),
        (2, CONTACTS),
        "its own was folded in"
    );
}

#[test]
fn a_file_with_the_name_of_the_lock_keeps_its_content() {
    for content in ["# This file is automatically @generated by Cargo.\n", "", "123 456", "99999999999999", "4711\n"] {
        let place = AccountFolder::filled();
        let lock = place.folder.path().join("account.roost.lock");
        fs::write(&lock, content).unwrap();
        let before = fs::metadata(&lock).unwrap().modified().unwrap();
        let db = place.open().unwrap();
        assert_eq!(fs::read_to_string(&lock).unwrap(), content);
        assert_eq!(fs::metadata(&lock).unwrap().modified().unwrap(), before);
        assert_eq!(place.open_error().code(), ErrorCode::Locked);
        drop(db);
    }
}

#[test]
fn a_lock_that_is_a_link_or_no_file_is_refused_and_left_alone() {
    let place = AccountFolder::filled();
    let lock = place.folder.path().join("account.roost.lock");
    let target = place.folder.path().join("diary");
    fs::write(&target, "12").unwrap();
    let spoils: [fn(&Path, &Path); 4] = [
        |lock, target| symlink(target, lock).unwrap(),
        |lock, _| symlink("nowhere", lock).unwrap(),
        |lock, _| fs::create_dir(lock).unwrap(),
        |lock, _| assert!(Command::new("mkfifo").arg(lock).status().unwrap().success()),
    ];
    for spoil in spoils {
        let _ = fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock));
        spoil(&lock, &target);
        let error = place.open_error();
        assert!(error.to_string().contains("its lock file"), "{error}");
        assert_eq!(fs::read_to_string(&target).unwrap(), "12");
        assert!(!place.folder.path().join("nowhere").exists());
    }
}

/// Reads what can be seen of a folder from outside: names, kinds, modes, times of change and bytes.
fn read_folder(folder: &Path) -> BTreeMap<String, (u32, i64, i64, u64, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let seen = entries.map(|entry| {
        let about = entry.path().symlink_metadata().unwrap();
        let bytes = if about.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        let name = entry.file_name().into_string().unwrap();
        (name, (about.mode(), about.mtime(), about.mtime_nsec(), about.ino(), bytes))
    });
    seen.collect()
}

/// Databases of other programs, both closed and after a crash. Their log must not be folded in, and no file created
/// beside them.
#[test]
fn a_database_of_another_program_is_left_to_the_byte() {
    let schema = [
        "CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('a')",
        "CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name TEXT, applied_on TEXT, checksum TEXT);
         INSERT INTO refinery_schema_history VALUES (1, 'songs', '2026-01-05T09:00:00Z', '1')",
    ];
    for (mode, sql) in [("DELETE", schema[0]), ("WAL", schema[0]), ("DELETE", schema[1]), ("WAL", schema[1])] {
        for is_killed in [false, true] {
            let theirs = AccountFolder::new();
            let conn = theirs.raw_connection();
            conn.execute_batch(&format!("PRAGMA journal_mode = {mode}; PRAGMA wal_autocheckpoint = 0; {sql}")).unwrap();
            let files = if is_killed {
                theirs.files()
            } else {
                drop(conn);
                theirs.files()
            };
            let place = AccountFolder::new();
            for (name, bytes) in files.iter().filter(|(name, _)| !name.ends_with("-shm")) {
                fs::write(place.folder.path().join(name), &bytes.0).unwrap();
            }
            let before = read_folder(place.folder.path());
            let case = format!("{mode}, killed: {is_killed}, {sql}");
            assert_eq!(place.open_error().code(), ErrorCode::Altered, "{case}");
            assert!(!closed::may_be_account(&place.file).unwrap(), "{case}");
            assert!(closed::set_aside(&place.file).is_err(), "{case}");
            assert_eq!(closed::read_setting(&place.file, "account.name"), None, "{case}");
            assert!(closed::copy_account(&place.file, &theirs.folder.path().join("copy")).is_err(), "{case}");
            assert!(
                read_folder(place.folder.path()) == before,
                "{case}: {:?}",
                read_folder(place.folder.path()).keys()
            );
        }
    }
}

#[test]
fn no_other_file_takes_the_place_of_an_open_account() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    let other = whole_file::create_beside(&place.file).unwrap();
    assert!(whole_file::rename_over(other, &place.file, whole_file::Durability::Volatile).is_err());
    add_list(&db, 1).unwrap();
    drop(db);
    assert_eq!(place.files().len(), 1);
}

#[test]
fn a_pipe_is_refused_without_waiting() {
    let place = AccountFolder::new();
    assert!(Command::new("mkfifo").arg(&place.file).status().unwrap().success());
    let before = read_folder(place.folder.path());
    assert!(place.open_error().to_string().contains("not a plain file"));
    assert!(!closed::may_be_account(&place.file).unwrap());
    assert!(read_folder(place.folder.path()) == before);
}

#[test]
fn an_empty_file_of_somebody_else_is_made_private() {
    let place = AccountFolder::new();
    fs::write(&place.file, "").unwrap();
    fs::set_permissions(&place.file, fs::Permissions::from_mode(0o644)).unwrap();
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    for (name, about) in read_folder(place.folder.path()) {
        assert_eq!(about.0 & 0o777, 0o600, "{name}");
    }
}

/// The name of a file need not be UTF-8.
#[test]
fn an_account_of_any_name_is_copied_and_restored() {
    let filled = AccountFolder::filled();
    let folder = tempfile::tempdir().unwrap();
    let named = |bytes: &[u8]| folder.path().join(OsStr::from_bytes(bytes));
    let account = named(b"caf\xe9.roost");
    fs::copy(&filled.file, &account).unwrap();
    let copy = backup::make_backup(&account).unwrap();
    let other = named(b"copy \xff");
    fs::copy(&copy, &other).unwrap();
    backup::write_backup(&account, &other, Overwrite::Allowed).unwrap();
    let side = SideCopy::create(&other, &account).unwrap();
    for path in [&account, &copy, &other, side.path()] {
        assert_eq!(checked_counts(&Db::open(path).unwrap()), (1, CONTACTS), "{}", path.display());
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn nobody_else_reads_a_side_copy() {
    let place = AccountFolder::filled();
    let side = SideCopy::create(&place.file, &place.folder.path().join("b.roost")).unwrap();
    for path in [side.path(), side.path().parent().unwrap()] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn backups_of_the_same_second_are_all_kept() {
    let place = AccountFolder::filled();
    let make = || backup::make_backup(&place.file).unwrap();
    let copies: BTreeSet<_> =
        std::thread::scope(|scope| [(); 4].map(|()| scope.spawn(make)).map(|copy| copy.join().unwrap()).into());
    assert_eq!(copies.len(), 4);
    assert!(copies.iter().all(|copy| copy.exists()), "{copies:?}");
}

#[test]
fn the_newest_copies_of_each_kind_stay_and_no_other_file_is_removed() {
    let place = AccountFolder::filled();
    let folder = place.folder.path();
    let whole = fs::read(&place.file).unwrap();
    let name = |day: u32| format!("account.roost.replaced-202601{day:02}-090000.backup");
    for day in 1..=7 {
        fs::write(folder.join(name(day)), &whole).unwrap();
    }
    let others = [
        ("account.roost.v5-20250101-090000.backup", whole.clone()),
        ("account.roost.replaced-20250101-090000.backup", b"a note".to_vec()),
        ("account.roost.replaced-tomorrow.backup", whole.clone()),
        ("account.roost.replaced-20250101-090000.backup.txt", whole.clone()),
        ("other.roost.replaced-20250101-090000.backup", whole.clone()),
    ];
    for (other, bytes) in &others {
        fs::write(folder.join(other), bytes).unwrap();
    }
    let link = "account.roost.replaced-29990105-090000.backup";
    symlink(name(7), folder.join(link)).unwrap();
    for _ in 0..2 {
        let db = place.open().unwrap();
        let image = db.take_image().unwrap();
        db.replace(&image, || ()).unwrap();
        db.replace(&image, || ()).unwrap();
    }
    let names = place.files().into_keys().collect::<Vec<_>>();
    let kept: Vec<_> = names.iter().filter(|name| name.starts_with("account.roost.replaced-2026")).collect();
    assert_eq!(kept.len(), 5, "{names:?}");
    assert!((5..=7).all(|day| names.contains(&name(day))), "{names:?}");
    assert!(others.iter().all(|(other, _)| names.iter().any(|name| name == other)), "{names:?}");
    assert!(names.iter().any(|name| name == link), "{names:?}");
    assert!(backup::list_copies(&place.file).iter().all(|copy| !copy.path.ends_with(link)), "Roost makes no links");
}

#[test]
fn what_a_killed_copy_left_is_removed_by_the_next_opening() {
    let place = AccountFolder::filled();
    let folder = place.folder.path();
    let whole = fs::read(&place.file).unwrap();
    let copy = ".account.roost.replaced-20260105-090000-2.backup.aB3xYz.part";
    let zeros = vec![0; 9_000];
    let journal = [b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7".as_slice(), &[1; 600]].concat();
    let ours = [
        (".account.roost.replaced-20260105-090000-2.backup.aB3xYz.part-journal", journal),
        (copy, whole.clone()),
        (".account.roost.aB3xYz.part", whole.clone()),
        (".account.roost.v5-20260105-090000.backup.aB3xYz.part", Vec::new()),
        (".account.roost.bulk-20260105-090000.backup.aB3xYz.part", whole.clone()),
        (".account.roost.damaged-20260105-090000.aB3xYz.part", whole.clone()),
        (".account.roost.damaged-log-20260105-090000.aB3xYz.part", whole.clone()),
        (".account.roost.replaced-20260105-090000.backup.aB3xY0.part", zeros),
    ];
    let others = [
        (".account.roost.replaced-20260105-090000.backup.aB3xY1.part-journal", b"a note".to_vec()),
        (".account.roost.replaced-20260105-090000.backup.aB3xY1.part", b"a note".to_vec()),
        (".account.roost.csv.aB3xYz.part", whole.clone()),
        (".other.roost.replaced-20260105-090000.backup.aB3xYz.part", whole.clone()),
    ];
    for (name, bytes) in ours.iter().chain(&others) {
        fs::write(folder.join(name), bytes).unwrap();
    }
    drop(place.open().unwrap());
    let names = place.files();
    assert!(ours.iter().all(|(name, _)| !names.contains_key(*name)), "{:?}", names.keys());
    assert!(others.iter().all(|(name, _)| names.contains_key(*name)), "{:?}", names.keys());
}
