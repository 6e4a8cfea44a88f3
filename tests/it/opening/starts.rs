//! Starts that are refused or ended before a server answers leave nothing behind. Acknowledged writes survive a kill
//! and a move.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use roost_tests::until;
use serde_json::json;

use super::{AccountFolder, CREATE, LISTS, command, error_line, wait_for_end};

/// Checks that a start with these arguments and variables is refused and leaves only the files that existed.
fn assert_leaves_nothing(place: &AccountFolder, more: &[&str], variables: &[(&str, &str)], words: &str) {
    let before = place.file_names();
    for verb in ["serve", "exec"] {
        let mut command = command([verb, "--port", "0"]);
        command.args(place.serve_arguments()).args(more).envs(variables.iter().copied());
        if verb == "exec" {
            command.args(["--", "true"]);
        }
        let message = error_line(Path::new("roost"), wait_for_end(command));
        assert!(message.contains(words), "{verb} {more:?}: {message}");
        assert_eq!(place.file_names(), before, "{verb} {more:?}");
    }
}

#[test]
fn a_refused_start_leaves_no_file() {
    let seeds = tempfile::tempdir().unwrap();
    let seed = |name: &str, text: &str| {
        let path = seeds.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (bad, empty) = (seed("bad.json", "{ \"lists\": 7 }"), seed("empty.json", ""));
    let missing = seeds.path().join("missing.json");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert_leaves_nothing(&AccountFolder::new(), &[], &[("ROOST_ADMIN_TOKEN", "short")], "admin token");
    assert_leaves_nothing(&AccountFolder::new(), &["--seed", &bad], &[], "the seed");
    assert_leaves_nothing(&AccountFolder::new(), &["--seed", &empty], &[], "is empty");
    assert_leaves_nothing(&AccountFolder::new(), &["--seed", missing.to_str().unwrap()], &[], "There is no file");
    assert_leaves_nothing(&AccountFolder::new(), &["--bound", "x=1"], &[], "x");
    let mut serve = command(["serve", "--port", &port]);
    let place = AccountFolder::new();
    serve.args(place.serve_arguments());
    error_line(Path::new("roost"), wait_for_end(serve));
    assert_eq!(place.file_names(), [""; 0], "the port is taken");
    let place = AccountFolder::new();
    std::os::unix::fs::symlink("nowhere", place.folder.path().join("account.roost.lock")).unwrap();
    assert_leaves_nothing(&place, &[], &[], "its lock file");
    // Existing files stay.
    let place = AccountFolder::with_account();
    assert_leaves_nothing(&place, &[], &[("ROOST_ADMIN_TOKEN", "short")], "admin token");
}

#[test]
fn a_refused_connection_leaves_no_file() {
    let place = AccountFolder::new();
    let mut connect = command(["connect", "nonsense", "--name", "Shop", "--no-test", "--db"]);
    connect.arg(&place.file);
    assert!(!wait_for_end(connect).status.success());
    assert_eq!(place.file_names(), [""; 0]);
}

struct WaitingProcess(Child);

impl Drop for WaitingProcess {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// No process writes into the pipe.
#[test]
fn a_start_that_waits_for_its_seed_can_be_ended() {
    for signal in ["TERM", "INT"] {
        for verb in ["serve", "exec"] {
            let place = AccountFolder::new();
            let pipe = tempfile::tempdir().unwrap();
            let seed = pipe.path().join("seed");
            assert!(Command::new("mkfifo").arg(&seed).status().unwrap().success());
            let mut command = command([verb, "--port", "0", "--seed"]);
            command.arg(&seed).args(place.serve_arguments()).stdout(Stdio::null()).stderr(Stdio::null());
            if verb == "exec" {
                command.args(["--", "true"]);
            }
            let mut waiting = WaitingProcess(command.spawn().unwrap());
            let status = format!("/proc/{}/status", waiting.0.id());
            // The process catches signals 2 and 15 from then on.
            until("it listens to signals", || {
                let text = fs::read_to_string(&status).ok()?;
                let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
                let bits = u64::from_str_radix(caught.trim(), 16).ok()?;
                (bits & 0x4002 == 0x4002).then_some(())
            });
            let id = waiting.0.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
            until("it has ended", || waiting.0.try_wait().unwrap());
            assert_eq!(place.file_names(), [""; 0], "{verb} {signal}");
        }
    }
}

/// The server is killed right after its first answers, the account is moved, and another start is tried at its path.
#[test]
fn what_was_answered_outlives_a_kill_and_a_move() {
    let place = AccountFolder::new();
    let mut served = place.start_server();
    for name in ["one", "two", "three"] {
        served.client().post(CREATE, &json!({ "name": name })).expect(200);
    }
    served.kill();
    let away = place.folder.path().join("b.roost");
    fs::rename(&place.file, &away).unwrap();
    let names = place.file_names();
    let message = place.refusal_message();
    assert!(message.contains("account.roost-wal beside it") && message.contains("missing"), "{message}");
    assert_eq!(place.file_names(), names);
    fs::rename(&away, &place.file).unwrap();
    assert_eq!(place.start_server().client().get(LISTS).column("name"), ["three", "two", "one"]);
}

/// A backup is copied over the account of a server, which is then killed.
#[test]
fn a_restored_backup_is_not_overwritten_by_the_earlier_log() {
    let backup = fs::read(AccountFolder::with_account().file).unwrap();
    let place = AccountFolder::new();
    let mut served = place.start_server();
    served.client().post(CREATE, &json!({ "name": "newer" })).expect(200);
    fs::write(place.folder.path().join("n"), &backup).unwrap();
    fs::rename(place.folder.path().join("n"), &place.file).unwrap();
    served.kill();
    let message = place.refusal_message();
    assert!(message.contains("holds changes of another account"), "{message}");
    assert!(fs::read(&place.file).unwrap() == backup);
    let log = place.folder.path().join("account.roost-wal");
    fs::rename(&log, place.folder.path().join("log")).unwrap();
    assert_eq!(place.start_server().client().get(LISTS).column("name"), ["VIP"]);
}
