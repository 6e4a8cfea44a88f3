//! Files that Roost did not create. Every verb that takes an account leaves them unchanged.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path, sync::OnceLock};

use tempfile::TempDir;

use super::{AccountFolder, command, wait_for_end};

/// The verbs with the arguments that they need besides the account. The words of a verb are separated by spaces.
const VERBS: &[&[&str]] = &[
    &["serve", "--port", "0"],
    &["exec", "--port", "0", "--", "true"],
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
    &["country"],
    &["readiness", "--list", "VIP"],
    &["set-aside"],
    &["lookup", "07700900001"],
    &["optouts list"],
    &["optouts add", "07700900001", "--reason", "asked"],
    &["optouts import", "contacts.csv", "--reason", "asked"],
    &["optouts export"],
    &["lists"],
    &["links"],
    &["account info"],
    &["doctor"],
    &["account check"],
    &["account backup"],
    &["account backups"],
    &["account held", "--number", "+447700900001"],
    &["account erase", "--number", "+447700900001", "--confirm-count", "0"],
    &["account restore", "copy.backup"],
];

/// Verbs that may create an account, in an empty file or without a file.
const BEGINNERS: &[&str] = &["serve", "exec", "connect", "account restore"];

/// Returns names, modes, modification times, inodes and contents.
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

type MakeFile = fn(&Path);

/// Returns the bytes of an account that a restore accepts.
fn sound_account() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| fs::read(AccountFolder::with_account().file).unwrap())
}

/// Every command that takes an account is tested.
#[test]
fn every_verb_with_an_account_is_known() {
    let help = |line: &[&str]| String::from_utf8(wait_for_end(command(line.iter().copied())).stdout).unwrap();
    let mut open = vec![String::new()];
    let mut found = Vec::new();
    while let Some(name) = open.pop() {
        let words: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
        let text = help(&words);
        let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let below = listed.filter_map(|line| line.split_whitespace().next()).filter(|below| *below != "help");
        open.extend(below.map(|below| format!("{name} {below}").trim().to_owned()));
        if text.contains("--db <FILE>") {
            found.push(name);
        }
    }
    let known: Vec<&str> = VERBS.iter().map(|verb| verb[0]).collect();
    assert!(found.len() > 10, "{found:?}");
    assert_eq!(found.iter().find(|name| !known.contains(&name.as_str())), None);
}

fn open_raw(path: &Path, sql: &str) -> rusqlite::Connection {
    let conn = rusqlite::Connection::open(path).unwrap();
    conn.execute_batch(sql).unwrap();
    conn
}

/// Creates the files that remain when a program with a database is killed: the file, and the log or journal beside it.
fn leave_as_killed(path: &Path, beside: &str, sql: &str) {
    let folder = TempDir::new().unwrap();
    let live = folder.path().join("live");
    let _open = open_raw(&live, sql);
    fs::copy(&live, path).unwrap();
    fs::copy(folder.path().join(format!("live{beside}")), format!("{}{beside}", path.display())).unwrap();
}

/// Checks that every verb refuses the files that `make` creates and leaves the folder unchanged.
fn assert_left_unchanged(name: &str, case: &str, but: &[&str], make: impl FnOnce(&Path)) {
    let folder = TempDir::new().unwrap();
    let contacts = TempDir::new().unwrap();
    fs::write(contacts.path().join("contacts.csv"), "Phone\n+447700900001\n").unwrap();
    fs::write(contacts.path().join("key"), "a key").unwrap();
    fs::write(contacts.path().join("copy.backup"), sound_account()).unwrap();
    let path = folder.path().join(name);
    make(&path);
    let before = read_folder(folder.path());
    for verb in VERBS.iter().filter(|verb| !but.contains(&verb[0])) {
        let mut command = command(verb[0].split(' '));
        let key = fs::File::open(contacts.path().join("key")).unwrap();
        command.current_dir(contacts.path()).arg("--db").arg(&path).args(&verb[1..]).stdin(key);
        let output = wait_for_end(command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(name), "{verb:?} {case}: {stderr}");
        assert!(read_folder(folder.path()) == before, "{verb:?} {case}: {:?}", read_folder(folder.path()).keys());
    }
}

#[test]
fn every_verb_leaves_a_file_of_another_kind_unchanged() {
    let cases: [(&str, MakeFile); 12] = [
        ("picture.png", |path| fs::write(path, [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 9_000]].concat()).unwrap()),
        ("list.txt", |path| fs::write(path, "name,number\n".repeat(700)).unwrap()),
        ("empty", |path| fs::write(path, "").unwrap()),
        ("byte", |path| fs::write(path, "x").unwrap()),
        ("songs.db", |path| drop(open_raw(path, "CREATE TABLE songs (title TEXT)"))),
        ("bare.db", |path| drop(open_raw(path, "PRAGMA user_version = 7; VACUUM"))),
        ("utf16.db", |path| drop(open_raw(path, "PRAGMA encoding = 'UTF-16'; PRAGMA user_version = 7"))),
        ("wal.db", |path| leave_as_killed(path, "-wal", "PRAGMA journal_mode = WAL; CREATE TABLE songs (title TEXT)")),
        ("first.db", |path| {
            let sql = "PRAGMA cache_size = 5; PRAGMA user_version = 7; VACUUM; BEGIN; CREATE TABLE songs (title);
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
                 INSERT INTO songs SELECT hex(zeroblob(500)) FROM n";
            leave_as_killed(path, "-journal", sql);
        }),
        ("folder", |path| fs::create_dir(path).unwrap()),
        ("pipe", |path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success())),
        ("missing", |_| ()),
    ];
    for (name, make) in cases {
        let but = if ["empty", "missing"].contains(&name) { BEGINNERS } else { &[] };
        assert_left_unchanged(name, name, but, make);
    }
}

#[test]
fn every_verb_leaves_what_lies_beside_an_account_as_it_is() {
    let account = fs::read(AccountFolder::with_account().file).unwrap();
    let beside = |path: &Path, suffix: &str| path.with_file_name(format!("a.roost{suffix}"));
    for suffix in ["-wal", "-shm", "-journal"] {
        for has_account in [true, false] {
            for is_link in [true, false] {
                let case = format!("{suffix}, link: {is_link}, account: {has_account}");
                assert_left_unchanged("a.roost", &case, &[], |path| {
                    if has_account {
                        fs::write(path, &account).unwrap();
                    }
                    if is_link {
                        fs::write(path.with_file_name("diary"), "").unwrap();
                        std::os::unix::fs::symlink("diary", beside(path, suffix)).unwrap();
                    } else {
                        fs::write(beside(path, suffix), "notes").unwrap();
                    }
                });
            }
        }
    }
    let place = AccountFolder::with_account();
    let mut served = place.start_server();
    served.client().post(super::CREATE, &serde_json::json!({ "name": "More" })).expect(200);
    served.kill();
    let log = fs::read(place.folder.path().join("account.roost-wal")).unwrap();
    assert!(!log.is_empty());
    assert_left_unchanged("a.roost", "a log without its file", &[], |path| {
        fs::write(beside(path, "-wal"), &log).unwrap()
    });
    // The account can be set aside together with the files beside it.
    assert_left_unchanged("a.roost", "the log of another account", &["set-aside"], |path| {
        fs::write(path, &account).unwrap();
        fs::write(beside(path, "-wal"), &log).unwrap();
    });
}
