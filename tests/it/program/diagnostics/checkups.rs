//! `roost doctor --db`: one report on an account, and what to do about each point.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use roost_model::id::ContactId;
use roost_ops::{Actor, Core, Ctx, contact};
use roost_tests::{Setup, Spawned, seeds, spawned::command};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{command_output, run_program};
#[cfg(target_os = "linux")]
use super::reports::copy_for_everybody;

const LIST: &str = "Spring";

/// A folder with an account that holds a list of two contacts.
pub(super) struct DoctorPlace {
    pub folder: TempDir,
}

impl DoctorPlace {
    pub(super) fn new() -> Self {
        let place = Self { folder: TempDir::new().expect("a folder") };
        assert!(run_program(&["account", "new", &place.db(), "--name", "Shop", "--country", "GB"]).status.success());
        place
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn db(&self) -> String {
        self.file("shop.roost").to_string_lossy().into_owned()
    }

    /// Runs a command without the settings, the data folder and the keyring of whoever runs the tests.
    pub(super) fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = command(args);
        command.env("ROOST_DATA_DIR", self.file("data")).env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
        command_output_with(command, variables)
    }

    #[track_caller]
    fn examine(&self, status: i32) -> Value {
        let output = self.run(&["doctor", "--db", &self.db(), "--json"], &[]);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    fn say(&self) -> String {
        let output = self.run(&["doctor", "--db", &self.db()], &[]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

fn command_output_with(mut command: Command, variables: &[(&str, &str)]) -> Output {
    command.envs(variables.iter().copied());
    command_output(command)
}

#[track_caller]
fn point<'r>(report: &'r Value, name: &str) -> &'r Value {
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("{name} is not in {report}"))
}

#[test]
fn a_sound_account_has_one_report_with_what_to_do() {
    let place = DoctorPlace::new();
    let report = place.examine(0);
    assert_eq!((&report["sound"], &report["version"]), (&json!(true), &json!(env!("CARGO_PKG_VERSION"))));
    for name in
        ["file", "use", "room", "disk", "damage", "schema", "service", "sync", "run", "questions", "drafts", "queue"]
    {
        assert_eq!(point(&report, name)["status"], "ok", "{name}: {report}");
    }
    let copies = point(&report, "copies");
    assert_eq!(copies["status"], "note");
    assert!(copies["to_do"].as_str().expect("advice").contains("roost account backup --db"), "{copies}");
    assert!(run_program(&["account", "backup", "--db", &place.db()]).status.success());
    let copies = point(&place.examine(0), "copies").clone();
    assert_eq!((&copies["status"], &copies["data"]["copies"][0]["days"]), (&json!("ok"), &json!(0)), "{copies}");
    assert_eq!(point(&place.examine(0), "damage")["data"]["has_sound_copy"], true);
    let stdout = place.say();
    assert!(stdout.contains("nothing needs attention") && stdout.contains("only its owner can read it"), "{stdout}");
    for part in ["schema", "none is open", "not connected"] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}

#[test]
fn damage_is_a_fault_with_the_way_back() {
    let place = DoctorPlace::new();
    assert!(run_program(&["account", "backup", "--db", &place.db()]).status.success());
    let sql = "UPDATE lists SET contact_count = 9; INSERT INTO lists (uid, name, name_folded, contact_count, created_at, updated_at) VALUES ('LST_1', 'a', 'a', 7, 0, 0)";
    rusqlite::Connection::open(place.db()).expect("a database").execute_batch(sql).expect("statements");
    let report = place.examine(1);
    let damage = point(&report, "damage");
    assert_eq!((&report["sound"], &damage["status"]), (&json!(false), &json!("fault")));
    assert_eq!(damage["data"]["faults"], json!({ "contact_counts": 1 }));
    assert!(damage["to_do"].as_str().expect("advice").contains("roost account restore --db"), "{damage}");
}

#[test]
fn a_damaged_log_is_a_fault_and_the_doctor_leaves_it() {
    let (open, place) = (DoctorPlace::new(), DoctorPlace::new());
    let core = Core::open(open.db().as_ref(), Ctx::system()).expect("the account");
    for number in 1..=8 {
        let name = format!("Number {number}");
        roost_ops::list::create(&core, &Actor::user(None), &name, roost_ops::list::UniqueNames::Off).expect("a list");
    }
    // The files as a killed program leaves them.
    let parts = ["shop.roost", "shop.roost-wal", "shop.roost-shm"];
    let mut files = parts.map(|part| fs::read(open.file(part)).expect("a file"));
    let at = files[1].windows(8).position(|part| part == b"Number 3").expect("the list");
    files[1][at] ^= 1;
    for (part, bytes) in parts.iter().zip(&files) {
        fs::write(place.file(part), bytes).expect("a file");
    }
    let damage = point(&place.examine(1), "damage").clone();
    assert_eq!((&damage["status"], &damage["data"]["faults"]), (&json!("fault"), &json!({ "log": 1 })));
    assert!(damage["to_do"].as_str().expect("advice").contains(".damaged-log-"), "{damage}");
    for (part, bytes) in parts.iter().zip(&files) {
        assert!(fs::read(place.file(part)).expect("a file") == *bytes, "{part}");
    }
    let listed = place.run(&["lists", "--db", &place.db()], &[]);
    assert!(String::from_utf8_lossy(&listed.stderr).contains("the log of the account was damaged"), "{listed:?}");
    assert_eq!(place.examine(0)["sound"], true);
}

#[test]
fn files_that_were_set_aside_are_listed() {
    let place = DoctorPlace::new();
    assert_eq!(point(&place.examine(0), "set_aside")["finding"], "none");
    for name in ["shop.roost.damaged-20260105-090000", "shop.roost.damaged-log-20260106-090000"] {
        fs::write(place.file(name), "torn").expect("a file");
        let found = point(&place.examine(0), "set_aside").clone();
        assert!(found["status"] == "note" && found["to_do"].as_str().expect("advice").contains(name), "{found}");
    }
    assert_eq!(point(&place.examine(0), "set_aside")["data"], json!({ "files": 2 }));
}

/// Runs a command as another user, who owns the account file, because the administrator may read and write every file.
/// `folder` and `file` are the permissions of both.
#[cfg(target_os = "linux")]
fn refusal_by_permissions(folder: u32, file: u32, args: &[&str]) -> String {
    use std::os::unix::fs::{PermissionsExt, chown};
    const USER: u32 = 64_217;
    let place = DoctorPlace::new();
    let program = copy_for_everybody(place.folder.path());
    let is_root = chown(place.db(), Some(USER), None).is_ok();
    for (path, mode) in [(place.file("shop.roost"), file), (place.folder.path().to_owned(), folder)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("our own file");
    }
    let mut command = Command::new(if is_root { "setpriv" } else { "env" });
    if is_root {
        command.args(["--reuid", &USER.to_string(), "--clear-groups"]);
    }
    command.arg(program).args(args).arg(place.db());
    let output = command.env("ROOST_DATA_DIR", place.file("data")).output().expect("util-linux is installed");
    fs::set_permissions(place.folder.path(), fs::Permissions::from_mode(0o700)).expect("our own folder");
    assert!(!output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_read_permission_is_reported_as_that() {
    for args in [["account", "info", "--db"], ["lists", "--json", "--db"]] {
        let stderr = refusal_by_permissions(0o777, 0o200, &args);
        assert!(stderr.contains("cannot be read"), "{args:?}: {stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_backup_that_cannot_be_beside_its_account_names_another_place() {
    let stderr = refusal_by_permissions(0o555, 0o600, &["account", "backup", "--db"]);
    assert!(stderr.contains("add --out FILE"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_read_and_an_open_account_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let place = DoctorPlace::new();
    fs::set_permissions(place.db(), fs::Permissions::from_mode(0o644)).expect("our own file");
    let file = point(&place.examine(0), "file").clone();
    assert_eq!((&file["status"], &file["data"]["mode"]), (&json!("note"), &json!("644")));
    assert!(file["to_do"].as_str().expect("advice").starts_with("chmod 600 "), "{file}");
    assert_eq!(point(&place.examine(0), "use")["data"]["is_open"], false);
    let server = Spawned::start(["--db", &place.db()]);
    let held = point(&place.examine(0), "use").clone();
    assert_eq!(held["data"]["is_open"], true);
    assert!(held["finding"].as_str().expect("a finding").contains(&server.pid().to_string()), "{held}");
}

#[test]
fn what_waits_is_counted_and_the_key_is_not_shown() {
    const KEY: &str = "a-key-that-no-doctor-shows-77";
    let id = seeds::id("LST_", "1");
    let seed = json!({ "lists": [seeds::filled_list(&id, LIST, 2)] });
    let service = Setup::new().set("auth", "off").seed(seed).serve();
    let place = DoctorPlace::new();
    let db = place.db();
    let connected = place.run(&["connect", service.url(), "--db", &db, "--name", "Service"], &[]);
    assert!(connected.status.success(), "{connected:?}");
    assert_eq!(place.run(&["pull", "--db", &db], &[]).status.code(), Some(0));
    let uid = ContactId::parse(&seeds::id("CON_", "00000")).expect("an id");
    let fields = |name: &str| contact::FieldValues::from([("firstname".to_owned(), Some(name.to_owned()))]);
    let core = Core::open(db.as_ref(), Ctx::system()).expect("the account");
    contact::update(&core, &Actor::user(None), &uid, &fields("Mine"), None).expect("an edit");
    drop(core);
    contact::update(service.core(), &Actor::operator(), &uid, &fields("Theirs"), None).expect("an edit");
    place.run(&["pull", "--db", &db], &[]);
    let sql = "INSERT INTO drafts (contact_id, field, text) SELECT id, 'phone_number', '0770' FROM contacts LIMIT 1";
    rusqlite::Connection::open(&db).expect("a database").execute_batch(sql).expect("statements");
    let report = place.examine(0);
    assert_eq!(point(&report, "questions")["data"]["count"], 1, "{report}");
    assert!(point(&report, "questions")["to_do"].as_str().expect("advice").contains("roost conflicts --db"));
    assert_eq!(
        (&point(&report, "drafts")["data"]["count"], &point(&report, "drafts")["status"]),
        (&json!(1), &json!("note"))
    );
    assert!(point(&report, "sync")["data"]["pulled_at"].is_string(), "{report}");
    let service_point = point(&report, "service");
    assert_eq!((&service_point["status"], &service_point["data"]["key_at"]), (&json!("note"), &Value::Null));
    assert!(service_point["finding"].as_str().expect("a finding").contains(service.url()), "{service_point}");
    let output = place.run(&["doctor", "--db", &db], &[("ROOST_SET_AUTH_KEYS", KEY)]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains(KEY));
}

#[test]
fn a_server_that_is_named_comes_before_an_account_in_a_variable() {
    let place = DoctorPlace::new();
    let server = Spawned::start::<&str>([]);
    let db = place.db();
    let of_account = place.run(&["doctor", "--json"], &[("ROOST_DB", &db)]);
    let report: Value = serde_json::from_slice(&of_account.stdout).expect("JSON");
    assert!(report["checks"].is_array(), "{report}");
    for (args, variables) in [
        (vec!["doctor", "--json", "--url", server.url()], vec![("ROOST_DB", db.as_str())]),
        (vec!["doctor", "--json"], vec![("ROOST_DB", db.as_str()), ("ROOST_ADMIN_URL", server.url())]),
    ] {
        let report: Value = serde_json::from_slice(&place.run(&args, &variables).stdout).expect("JSON");
        assert_eq!(report["answers"], true, "{args:?} {report}");
    }
    let args = ["doctor", "--json", "--db", &db];
    let report: Value =
        serde_json::from_slice(&place.run(&args, &[("ROOST_ADMIN_URL", server.url())]).stdout).expect("JSON");
    assert!(report["checks"].is_array(), "{report}");
}
