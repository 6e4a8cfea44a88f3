//! Files that Roost did not make: every verb that takes an account leaves them as they are.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path};

use tempfile::TempDir;

use super::{command, ended};

/// Verbs with what they need besides the account.
const VERBS: &[&[&str]] = &[
    &["serve", "--port", "0"],
    &["export"],
    &["import", "contacts.csv", "--list", "VIP"],
    &["connect", "http://127.0.0.1:9", "--name", "Shop", "--key-stdin"],
    &["pull"],
    &["conflicts"],
    &["answer", "contact:12", "theirs"],
    &["plan"],
    &["push"],
    &["status"],
    &["runs"],
    &["report", "1"],
    &["set-aside"],
];

/// These may begin an account: in an empty file, and where there is none.
const BEGINNERS: &[&str] = &["serve", "connect"];

/// Names, modes, times of change, inodes and bytes.
fn seen(folder: &Path) -> BTreeMap<String, (u32, i64, i64, u64, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let seen = entries.map(|entry| {
        let about = entry.path().symlink_metadata().unwrap();
        let bytes = if about.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        let name = entry.file_name().into_string().unwrap();
        (name, (about.mode(), about.mtime(), about.mtime_nsec(), about.ino(), bytes))
    });
    seen.collect()
}

type Make = fn(&Path);

#[test]
fn every_verb_leaves_a_file_that_is_no_account_as_it_is() {
    let cases: [(&str, Make); 9] = [
        ("picture.png", |path| fs::write(path, [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 9_000]].concat()).unwrap()),
        ("list.txt", |path| fs::write(path, "name,number\n".repeat(700)).unwrap()),
        ("empty", |path| fs::write(path, "").unwrap()),
        ("byte", |path| fs::write(path, "x").unwrap()),
        ("songs.db", |path| {
            rusqlite::Connection::open(path).unwrap().execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
        }),
        ("wal.db", |path| {
            let conn = rusqlite::Connection::open(path).unwrap();
            conn.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE songs (title TEXT)").unwrap();
            // As a crash leaves it: the database without its table, and the log.
            let log = path.with_file_name("wal.db-wal");
            let (main, log_bytes) = (fs::read(path).unwrap(), fs::read(&log).unwrap());
            drop(conn);
            fs::write(path, main).unwrap();
            fs::write(log, log_bytes).unwrap();
        }),
        ("folder", |path| fs::create_dir(path).unwrap()),
        ("pipe", |path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success())),
        ("missing", |_| ()),
    ];
    for (name, make) in cases {
        let folder = TempDir::new().unwrap();
        let contacts = TempDir::new().unwrap();
        fs::write(contacts.path().join("contacts.csv"), "Phone\n+447700900001\n").unwrap();
        fs::write(contacts.path().join("key"), "a key").unwrap();
        let path = folder.path().join(name);
        make(&path);
        let before = seen(folder.path());
        for verb in VERBS {
            if BEGINNERS.contains(&verb[0]) && ["empty", "missing"].contains(&name) {
                continue;
            }
            let mut command = command(verb.iter().copied());
            let key = fs::File::open(contacts.path().join("key")).unwrap();
            command.current_dir(contacts.path()).arg("--db").arg(&path).stdin(key);
            let output = ended(command);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(name), "{verb:?} {name}: {said}");
            assert!(seen(folder.path()) == before, "{verb:?} {name}: {:?}", seen(folder.path()).keys());
        }
    }
}
