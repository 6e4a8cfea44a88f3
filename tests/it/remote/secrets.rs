//! The key is stored by a real Secret Service in a separate session, and is found nowhere else.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use roost_emulator::Journal;
use roost_model::channel::Channel;
use roost_sync::{
    remote::{Client, ConnectionSettings, KeyHeader, ServiceCall, ServiceClient},
    vault::{KeyVault, KeyringVault, Secret, VaultError},
};
use roost_tests::{
    Setup,
    leaks::{self, files},
};
use tempfile::TempDir;

use super::{KEY, run_async};

/// A text in the account and in the log. Finding it proves that the search for the key covers the right places.
const MARK: &str = "a-list-that-is-written-down";
const PASSWORD: &str = "of-this-session-alone";

/// Starts a session bus with an unlocked keyring.
const OPEN: &str = r#"printf '%s' "$0" | gnome-keyring-daemon --unlock --components=secrets --control-directory="$XDG_RUNTIME_DIR/keyring" >/dev/null; exec "$@""#;
/// Starts a session bus with a locked keyring, for which nobody enters the password.
const LOCKED: &str = r#"gnome-keyring-daemon --start --components=secrets --control-directory="$XDG_RUNTIME_DIR/keyring" >/dev/null; exec "$@""#;

/// Runs one of the tests below in this binary, with a separate home.
fn run_in_home(home: &Path, session: Option<&str>, test: &str) -> Output {
    let this = std::env::current_exe().expect("a test is a file");
    let mut command = match session {
        None => Command::new(&this),
        Some(script) => {
            let mut command = Command::new("dbus-run-session");
            command.args(["--", "sh", "-euc", script, PASSWORD]).arg(&this);
            command
        }
    };
    command.args(["--exact", &format!("remote::secrets::{test}"), "--ignored", "--nocapture"]);
    command
        .env("RUST_BACKTRACE", "full")
        .env("HOME", home)
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .env_remove("DISPLAY");
    for (name, folder) in
        [("DATA_HOME", "data"), ("CONFIG_HOME", "config"), ("CACHE_HOME", "cache"), ("RUNTIME_DIR", "run")]
    {
        let folder = home.join(folder);
        fs::create_dir_all(&folder).expect("a folder");
        #[cfg(unix)]
        fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("our own");
        command.env(format!("XDG_{name}"), folder);
    }
    let output = command.output().expect("dbus-run-session is missing: run tests/tooling/setup.sh test");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {}\n{stderr}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{test} was not run");
    output
}

#[test]
fn a_keyring_keeps_the_key_and_nothing_else_has_it() {
    let home = TempDir::new().expect("a home");
    let output = run_in_home(home.path(), Some(OPEN), "use_a_key");
    let hidden = leaks::Secret::new(KEY);
    for stream in [&output.stdout, &output.stderr] {
        assert_eq!(hidden.seen_in(stream), None, "{}", String::from_utf8_lossy(stream));
    }
    let crash = String::from_utf8_lossy(&output.stderr);
    assert!(crash.contains("BUG: ") && crash.contains("stack backtrace"), "a crash with all its report: {crash}");
    let all = files(home.path());
    assert_eq!(hidden.files_with_it(home.path()), [""; 0]);
    let marked = leaks::Secret::new(MARK).files_with_it(home.path());
    for wanted in ["account.roost", "journal.txt"] {
        assert!(marked.iter().any(|name| name.starts_with(wanted)), "{wanted} is not among {marked:?}");
    }
    let log = fs::read_to_string(home.path().join("log.txt")).expect("a log");
    assert!(log.contains("TRACE") && log.contains("lists.create"), "everything was logged: {log}");
    assert!(all.iter().any(|file| file.to_string_lossy().contains("keyrings")), "a real keyring: {all:?}");
}

#[test]
fn a_keyring_that_is_locked_or_missing_says_what_to_do() {
    let home = TempDir::new().expect("a home");
    run_in_home(home.path(), Some(LOCKED), "meet_a_locked_keyring");
    run_in_home(home.path(), None, "meet_no_keyring");
    let left = leaks::Secret::new(KEY).files_with_it(home.path());
    assert_eq!(left, [""; 0], "and the key went nowhere");
}

#[test]
#[ignore = "runs in the session that a test above starts"]
fn use_a_key() {
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home"));
    let log = Arc::new(fs::File::create(home.join("log.txt")).expect("a log"));
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(log).init();

    KeyringVault::probe().expect("a keyring that takes keys");
    let vault = KeyringVault::new("connection-1");
    assert!(vault.get().expect("it answers").is_none());
    vault.set(&Secret::new(KEY)).expect("kept");
    let secret = KeyringVault::new("connection-1").get().expect("it answers").expect("the key");
    assert_eq!(secret.to_masked(), "••••7f3a");
    assert!(KeyringVault::new("connection-2").get().expect("it answers").is_none());

    let journal = Journal::new_recording();
    let mut setup = Setup::new().on_file(home.join("account.roost"));
    setup.config.journal = journal.clone();
    let api = setup.serve();
    let mut settings = ConnectionSettings::new(api.url()).expect("an address");
    settings.key = Some(KeyHeader::new("X-AUTH-KEY", secret.expose()).expect("a header"));
    let records = Mutex::new(format!("{settings:?}\n"));
    let record = |text: String| records.lock().expect("free").push_str(&text);
    run_async(async {
        let client = Client::new(Arc::new(ServiceClient::new(false)), settings.clone());
        for call in [
            ServiceCall::create_list(MARK),
            ServiceCall::create_list(""),
            ServiceCall::delete_list("LST_1"),
            ServiceCall::create_opt_out("+447700900001", Channel::Sms, None),
        ] {
            let done = client.wait_for_turn(call.lane).await.send(&call).await;
            record(format!("{call:?} {done:?}\n{}\n", done.as_ref().err().map_or(String::new(), ToString::to_string)));
        }
    });
    for line in journal.read_page(None, 100, |_| true).lines {
        let bodies = [line.request.body.bytes(), line.response.body.bytes()].map(String::from_utf8_lossy);
        record(format!("{line:?}\n{bodies:?}\n{}\n", roost_emulator::to_curl(&line, api.url())));
    }
    fs::write(home.join("journal.txt"), &*records.lock().expect("free")).expect("written");

    // The information about this process that others on this machine can see, and that a crash leaves behind.
    for shown in ["/proc/self/cmdline", "/proc/self/environ"] {
        fs::write(home.join(shown.replace('/', "-")), fs::read(shown).unwrap_or_default()).expect("written");
    }
    let held = (&settings, &settings.key, &records);
    let crash = catch_unwind(AssertUnwindSafe(|| panic!("BUG: {held:?}")));
    assert!(crash.is_err());
    api.stop();

    vault.forget().expect("forgotten");
    vault.forget().expect("forgotten before");
    assert!(vault.get().expect("it answers").is_none());
}

#[test]
#[ignore = "runs in the session that a test above starts"]
fn meet_a_locked_keyring() {
    for refused in [KeyringVault::probe(), KeyringVault::new("connection-1").set(&Secret::new(KEY))] {
        let refused = refused.expect_err("nobody unlocked it");
        assert!(matches!(refused, VaultError::Locked), "{refused}");
        assert!(refused.to_string().contains("Unlock it and try again"));
    }
}

#[test]
#[ignore = "runs in the session that a test above starts"]
fn meet_no_keyring() {
    for refused in [KeyringVault::probe(), KeyringVault::new("connection-1").set(&Secret::new(KEY))] {
        let refused = refused.expect_err("there is none");
        assert!(matches!(refused, VaultError::NoKeyring(_)), "{refused}");
        assert!(refused.to_string().contains("a file that a passphrase seals"), "{refused}");
    }
}
