//! The key: stored sealed, refused, or missing, and never exposed.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use roost_tests::{Receiver, Reply, Setup, leaks::Secret, seeds};
use serde_json::json;

use super::{EndedProcess, LIST, RunningProcess, SyncFolder, list_id, run_failing};

const KEY: &str = "a-key-that-nobody-guesses-9c41";
const PASSPHRASE: &str = "correct horse battery";

/// Creates a place with a passphrase in a file.
fn place_with_passphrase() -> SyncFolder {
    let place = SyncFolder::new();
    fs::create_dir(place.file_path("secrets")).expect("a folder");
    fs::write(place.file_path("secrets/passphrase"), format!("{PASSPHRASE}\n")).expect("a file");
    place
}

fn sealed_command(place: &SyncFolder, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command.env("ROOST_PASSPHRASE_FILE", place.file_path("secrets/passphrase"));
    command
}

/// Connects with the key on standard input.
fn connect_with_key(place: &SyncFolder, url: &str, key: &str) -> EndedProcess {
    let mut command = sealed_command(place, &["connect", url, "--key-stdin", "--keep", "sealed"]);
    command.env("ROOST_LOG", "trace").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be started");
    child.stdin.take().expect("a pipe").write_all(format!("{key}\n").as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    EndedProcess { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Returns the files of the account's folder that contain a text.
fn files_containing(place: &SyncFolder, text: &str) -> Vec<String> {
    Secret::new(text).files_with_it(place.0.path())
}

#[track_caller]
fn assert_key_unseen(ended: &EndedProcess) {
    for secret in [KEY, PASSPHRASE].map(Secret::new) {
        for stream in [&ended.out, &ended.err] {
            assert_eq!(secret.seen_in(stream.as_bytes()), None, "{stream}");
        }
    }
}

#[test]
fn a_sealed_key_opens_with_its_passphrase_and_is_seen_by_nobody() {
    let seed = json!({ "lists": [seeds::filled_list(list_id().as_str(), LIST, 2)] });
    let api = Setup::new().set("auth", "keys").set("auth.keys", KEY).seed(seed).serve();
    let place = place_with_passphrase();
    let connected = connect_with_key(&place, api.url(), KEY);
    assert_eq!(connected.status, Some(0), "{}{}", connected.out, connected.err);
    assert!(connected.err.contains("TRACE"), "everything was logged: {}", connected.err);
    assert_key_unseen(&connected);
    let traced = |wanted: i32, args: &[&str]| {
        let mut command = sealed_command(&place, args);
        command.env("ROOST_LOG", "trace").env("RUST_BACKTRACE", "full");
        let ended = super::wait_for_end(command);
        assert_eq!(ended.status, Some(wanted), "{args:?}: {}{}", ended.out, ended.err);
        assert_key_unseen(&ended);
    };
    traced(0, &["pull"]);
    place.rename_contact(0, "Mine");
    traced(3, &["plan"]);
    traced(0, &["plan", "--body", "0", "--unmasked"]);
    traced(0, &["push", "--yes"]);
    for done in [&["status"][..], &["runs"], &["report", "--format", "json"]] {
        traced(0, done);
    }
    // Failed commands print more than others.
    let there = api.url();
    // A key is sent only to the address for which it was entered, and the account keeps an address with a key.
    for (url, status) in [("http://127.0.0.1:9", 8), (there, 0)] {
        traced(status, &["connect", url, "--no-test"]);
        traced(0, &["pull"]);
    }
    assert_eq!(files_containing(&place, KEY), [""; 0]);
    assert_eq!(files_containing(&place, PASSPHRASE), ["passphrase (plain)"]);
    assert!(!files_containing(&place, LIST).is_empty(), "the right places are looked at");

    let message = place.run_failing(8, &["pull"]);
    assert!(
        message.contains("encrypted") && message.contains("Set ROOST_PASSPHRASE_FILE to a file with the passphrase."),
        "{message}"
    );
    place.run_expecting(0, &["status"]);
    fs::write(place.file_path("secrets/passphrase"), "another horse battery").expect("a file");
    assert!(run_failing(8, sealed_command(&place, &["pull"])).contains("passphrase is wrong"));
    fs::remove_file(place.file_path("secrets/passphrase")).expect("removed");
    assert!(run_failing(8, sealed_command(&place, &["pull"])).contains("ROOST_PASSPHRASE_FILE"));

    // A request with the key is under way.
    fs::write(place.file_path("secrets/passphrase"), PASSPHRASE).expect("a file");
    let silent = Receiver::replying([Reply::Silence]);
    let file = place.file_path("secrets/key");
    fs::write(&file, KEY).expect("a file");
    let to = silent.url("");
    let moved = super::wait_for_end(sealed_command(
        &place,
        &["connect", &to, "--no-test", "--key-file", &file, "--keep", "sealed"],
    ));
    assert_eq!(moved.status, Some(0), "{}{}", moved.out, moved.err);
    let pull = RunningProcess::start(sealed_command(&place, &["pull"]));
    let came = silent.wait_for(1);
    assert_eq!(came[0].header("X-AUTH-KEY"), Some(KEY));
    for secret in [KEY, PASSPHRASE] {
        Secret::new(secret).is_not_shown_of(pull.child.id());
    }
}

#[test]
fn a_key_that_the_service_refuses_is_reported() {
    let api = Setup::new().set("auth", "keys").set("auth.keys", "the-right-key").serve();
    let place = place_with_passphrase();
    let refused = connect_with_key(&place, api.url(), KEY);
    assert_eq!(refused.status, Some(8), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("does not accept the key"), "{}", refused.err);
    let message = run_failing(8, sealed_command(&place, &["pull"]));
    assert!(message.contains("does not accept the key") && message.contains("--key-stdin"), "{message}");
    assert!(!message.contains(KEY));
    fs::write(place.file_path("secrets/key"), "the-right-key\n").expect("a file");
    let file = place.file_path("secrets/key");
    let mended =
        super::wait_for_end(sealed_command(&place, &["connect", api.url(), "--key-file", &file, "--keep", "sealed"]));
    assert_eq!(mended.status, Some(0), "{}{}", mended.out, mended.err);
    assert_eq!(super::wait_for_end(sealed_command(&place, &["pull"])).status, Some(0));
}

#[test]
fn without_a_keyring_nothing_is_stored_and_the_way_out_is_named() {
    let api = Setup::new().serve();
    let place = place_with_passphrase();
    fs::write(place.file_path("secrets/key"), KEY).expect("a file");
    let key = place.file_path("secrets/key");
    let message = place.run_failing(8, &["connect", api.url(), "--key-file", &key]);
    assert!(message.contains("keyring") && message.contains("--keep sealed"), "{message}");
    let message = place.run_failing(8, &["connect", api.url(), "--key-file", &key, "--keep", "sealed"]);
    assert!(message.contains("needs a passphrase") && message.contains("ROOST_PASSPHRASE_FILE"), "{message}");
    fs::write(place.file_path("secrets/passphrase"), "short").expect("a file");
    let short = run_failing(8, sealed_command(&place, &["connect", api.url(), "--key-file", &key, "--keep", "sealed"]));
    assert!(short.contains("at least") && short.contains("secrets/passphrase"), "{short}");
    let message = place.run_failing(2, &["push"]);
    assert!(message.contains("There is no file"), "no account was made: {message}");
    fs::copy("fixtures/accounts/v1.roost", place.file_path("account.roost")).expect("copied");
    run_failing(8, sealed_command(&place, &["connect", api.url(), "--key-file", &key, "--keep", "sealed"]));
    let message = place.run_failing(2, &["push"]);
    let advice = "is not connected. Enter the address of its service first. To do so, run roost connect URL --db FILE.";
    assert!(message.contains(advice), "what was refused is not half connected: {message}");
    fs::remove_file(place.file_path("account.roost")).expect("removed");
    assert!(
        place.run_failing(8, &["connect", api.url(), "--key-file", &place.file_path("none")]).contains("--key-file")
    );
    fs::write(place.file_path("secrets/empty"), "\n").expect("a file");
    assert!(
        place
            .run_failing(8, &["connect", api.url(), "--key-file", &place.file_path("secrets/empty")])
            .contains("empty")
    );
    let empty = connect_with_key(&place, api.url(), "");
    assert_eq!(empty.status, Some(8), "{}{}", empty.out, empty.err);
    assert!(empty.err.contains("--key-stdin: standard input is empty."), "{}", empty.err);
    assert_eq!(files_containing(&place, KEY), ["key (plain)"], "it went nowhere");
}

#[test]
fn a_stored_key_is_sent_to_no_address_but_the_one_it_was_entered_for() {
    let api = Setup::new().set("auth", "keys").set("auth.keys", KEY).serve();
    let place = place_with_passphrase();
    let connected = connect_with_key(&place, api.url(), KEY);
    assert_eq!(connected.status, Some(0), "{}{}", connected.out, connected.err);
    let typo = Receiver::start();
    let attempts = [
        super::wait_for_end(sealed_command(&place, &["connect", &typo.url("")])),
        super::wait_for_end(sealed_command(&place, &["connect", "--no-test", &typo.url("")])),
        super::wait_for_end(sealed_command(&place, &["pull"])),
    ];
    for refused in &attempts[..2] {
        assert_eq!(refused.status, Some(8), "{}{}", refused.out, refused.err);
        assert!(refused.err.contains("--key-stdin"), "{}", refused.err);
    }
    assert_eq!(attempts[2].status, Some(0), "the address stayed: {}{}", attempts[2].out, attempts[2].err);
    let shown: Vec<String> = typo.received().iter().map(|request| format!("{request:?}")).collect();
    assert!(shown.iter().all(|request| !request.contains(KEY)), "{shown:?}");
    // The key is still stored for its own address.
    for args in [&["connect", api.url()][..], &["pull"]] {
        let ended = super::wait_for_end(sealed_command(&place, args));
        assert_eq!(ended.status, Some(0), "{args:?}: {}{}", ended.out, ended.err);
    }
}

#[test]
fn the_name_of_a_connection_follows_its_host_unless_somebody_chose_it() {
    let place = SyncFolder::new();
    for (more, wanted) in [
        (&["http://127.0.0.1:1"][..], "127.0.0.1:1"),
        (&["http://127.0.0.1:2"], "127.0.0.1:2"),
        (&["http://127.0.0.1:2", "--name", "Live"], "Live"),
        (&["http://127.0.0.1:3"], "Live"),
    ] {
        let saved = place.run_for_json(0, &[&["connect", "--no-test", "--json"], more].concat());
        assert_eq!(saved["connection"]["name"], wanted, "{more:?}");
    }
}
