//! `roost account`: the binary on real files.

mod backups;
mod erasures;
mod held;
mod json;
#[cfg(target_os = "linux")]
mod power;
mod records;
mod restores;

use std::{fs, path::Path, process::Output};

use roost_model::{channel::Channel, id::ListId};
use roost_ops::{
    Actor, Core, Ctx, contact,
    list::{self, UniqueNames},
    opt_out::{self, NewOptOut},
};
use roost_tests::{seeds, spawned::command};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{command_output, refusal_message, run_program};
use crate::whole::{assert_whole, read_rows};

/// A folder with an account of one list, two contacts and one opt-out.
struct AccountPlace {
    folder: TempDir,
    list: ListId,
}

fn by() -> Actor {
    Actor::user(None)
}

impl AccountPlace {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("shop.roost");
        let made = run_program(&["account", "new", &path.to_string_lossy(), "--name", "Shop", "--country", "GB"]);
        assert!(made.status.success(), "{made:?}");
        let core = Core::open(&path, Ctx::system()).expect("an account");
        let list = list::create(&core, &by(), "Spring", UniqueNames::Off).expect("a list").uid;
        drop(core);
        let place = Self { folder, list };
        place.add_contact(1);
        place.add_contact(2);
        place.opt_out(1);
        place
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn db(&self) -> String {
        self.path("shop.roost")
    }

    fn open(&self) -> Core {
        Core::open(Path::new(&self.db()), Ctx::system()).expect("an account")
    }

    fn add_contact(&self, n: usize) {
        let values = contact::FieldValues::from([("phone_number".to_owned(), Some(seeds::mobile(n)))]);
        contact::add(&self.open(), &by(), &self.list, &values, None).expect("a contact");
    }

    fn opt_out(&self, n: usize) {
        let entry = NewOptOut { number: seeds::mobile(n), channels: vec![Channel::Sms], asset: None };
        opt_out::add(&self.open(), &by(), &[entry], "asked by phone", None).expect("an opt-out");
    }

    fn run(&self, args: &[&str]) -> Output {
        let (verb, rest) = args.split_first().expect("a verb");
        let db = self.db();
        let all: Vec<&str> = ["account", verb, "--db", &db].into_iter().chain(rest.iter().copied()).collect();
        run_program(&all)
    }

    /// Runs a verb that ends with this status and prints JSON.
    #[track_caller]
    fn run_json(&self, status: i32, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
        names.retain(|name| !name.ends_with(".lock"));
        names.sort();
        names
    }

    /// Changes the file past Roost.
    fn tamper(&self, sql: &str) {
        rusqlite::Connection::open(self.db()).expect("a database").execute_batch(sql).expect("statements");
    }

    fn opted_out(&self) -> Vec<String> {
        let rows = read_rows(Path::new(&self.db()), "SELECT number FROM opt_outs ORDER BY number");
        rows.into_iter().map(|row| row[0].clone().expect("a number")).collect()
    }
}

#[track_caller]
fn text_of(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn a_new_account_has_its_name_and_country_and_no_fields_of_others() {
    let place = AccountPlace::new();
    let report = place.run_json(0, &["info"]);
    assert_eq!((&report["name"], &report["country"]), (&json!("Shop"), &json!("GB")));
    assert_eq!(report["counts"]["custom_fields"], 0);
    assert_eq!((&report["counts"]["lists"], &report["counts"]["contacts"]), (&json!(1), &json!(2)));
    assert_eq!((&report["schema"], &report["connection"]), (&report["newest_schema"], &Value::Null));
    assert_whole(Path::new(&place.db()));
}

#[test]
fn a_file_that_is_there_is_never_made_a_new_account() {
    let place = AccountPlace::new();
    fs::write(place.path("notes.txt"), "notes").expect("a file");
    for name in ["shop.roost", "notes.txt"] {
        let before = fs::read(place.path(name)).expect("a file");
        let message = refusal_message(&run_program(&["account", "new", &place.path(name)]));
        assert!(message.contains("already exists"), "{message}");
        assert!(fs::read(place.path(name)).expect("a file") == before, "{name}");
    }
    let message = refusal_message(&run_program(&["account", "new", &place.path("x.roost"), "--country", "XX"]));
    assert!(message.contains("country code"), "{message}");
    let message = refusal_message(&run_program(&["account", "new", &place.path("x.roost"), "--name", " "]));
    assert!(message.contains("--name: a name has 1 to 60 characters."), "{message}");
    assert_eq!(place.names(), ["notes.txt", "shop.roost"]);
}

#[test]
fn the_list_shows_damaged_missing_and_foreign_files_as_well() {
    let place = AccountPlace::new();
    fs::write(place.path("notes.roost"), "notes ".repeat(900)).expect("a file");
    let whole = fs::read(place.db()).expect("a file");
    fs::write(place.path("torn.roost"), &whole[..whole.len() / 2]).expect("a file");
    let missing = json!({ "path": "gone.roost", "name": "Gone", "colour": "teal", "last_opened": 5 });
    fs::write(place.path("accounts.json"), json!({ "accounts": [missing] }).to_string()).expect("a file");
    let before = place.names();
    let mut listing = command(["account", "list", "--json"]);
    listing.env("ROOST_DATA_DIR", place.folder.path());
    let report: Value = serde_json::from_slice(&command_output(listing).stdout).expect("JSON");
    let mut found: Vec<_> =
        report.as_array().expect("a list").iter().map(|one| (one["name"].clone(), one["status"].clone())).collect();
    found.sort_by_key(|(name, _)| name.to_string());
    let wanted = [("Gone", "missing"), ("Shop", "sound"), ("notes", "not_an_account"), ("torn", "damaged")];
    assert_eq!(found, wanted.map(|(name, status)| (json!(name), json!(status))), "{report}");
    let words = text_of(&run_program(&["account", "list", "--folder", &place.path("")]));
    assert!(words.contains("Shop: 1 list, 2 contacts, 1 opt-out") && words.contains("torn: damaged"), "{words}");
    assert_eq!(place.names(), before, "nothing is left beside them");
    let none = text_of(&run_program(&["account", "list", "--folder", &place.path("none")]));
    assert!(none.contains("no accounts"), "{none}");
    assert!(!Path::new(&place.path("none")).exists());
}

#[test]
fn an_account_that_is_open_elsewhere_is_shown_with_what_was_just_written() {
    let place = AccountPlace::new();
    let core = place.open();
    list::create(&core, &by(), "Summer", UniqueNames::Off).expect("a list");
    assert_eq!(place.run_json(0, &["info"])["counts"]["lists"], 2);
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
    list::create(&core, &by(), "Autumn", UniqueNames::Off).expect("the account is still writable");
}

#[test]
fn the_connection_is_shown_without_its_key() {
    let place = AccountPlace::new();
    fs::write(place.path("key"), "a-key-that-nobody-guesses-77\n").expect("a file");
    fs::write(place.path("passphrase"), "correct horse\n").expect("a file");
    let mut connect = command(["connect", "http://127.0.0.1:9", "--no-test", "--keep", "sealed", "--name", "Live"]);
    connect.args(["--db", &place.db(), "--key-file", &place.path("key")]).env("HOME", place.folder.path());
    connect.env("ROOST_PASSPHRASE_FILE", place.path("passphrase")).env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
    assert!(command_output(connect).status.success());
    let report = place.run_json(0, &["info"]);
    let wanted = json!({ "name": "Live", "url": "http://127.0.0.1:9", "key_at": "sealed", "read_only": false });
    assert_eq!(report["connection"], wanted);
    let words = text_of(&place.run(&["info"]));
    assert!(words.contains("with its key in a sealed file") && !words.contains("nobody-guesses"), "{words}");
}

#[test]
fn a_sound_account_passes_the_check() {
    let place = AccountPlace::new();
    let report = place.run_json(0, &["check"]);
    assert_eq!((&report["sound"], &report["faults"]), (&json!(true), &json!([])));
    assert!(text_of(&place.run(&["check"])).contains("is sound"));
}

/// Each change is one that SQLite itself finds no fault with, or only in an index.
#[test]
fn the_check_finds_what_only_roost_knows() {
    let deletion = "INSERT INTO opt_out_door (id, warrant) VALUES (1, 'confirmed'); DELETE FROM opt_outs;
         DELETE FROM opt_out_events WHERE action = 'removed'; DELETE FROM opt_out_door";
    let unknown = "DELETE FROM opt_out_events";
    let index = "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'opt_outs_by_asset')
         WHERE name = 'opt_outs_by_time'";
    for (sql, area, beginning) in [
        ("UPDATE lists SET contact_count = 7", "contact_counts", "the list LST_"),
        ("INSERT INTO custom_fields (number, label) VALUES (40, 'Rank')", "custom_fields", "the custom field 40 has"),
        ("INSERT INTO opt_out_door (id, warrant) VALUES (1, 'confirmed')", "opt_outs", "opt-outs can be removed"),
        (deletion, "opt_outs", "the opt-out of +"),
        (unknown, "opt_outs", "the history of opt-outs lacks the opt-out of +"),
        (index, "pages", "SQLite cannot read it: "),
        ("PRAGMA foreign_keys = OFF; DELETE FROM lists", "references", "row "),
        ("CREATE TABLE notes (text TEXT)", "schema", "the schema has notes, which"),
        ("DROP TABLE short_codes", "schema", "the schema has no short_codes"),
    ] {
        let place = AccountPlace::new();
        text_of(&place.run(&["backup"]));
        place.tamper(sql);
        let before = fs::read(place.db()).expect("a file");
        let report = place.run_json(1, &["check"]);
        let mut faults = report["faults"].as_array().expect("a list").iter();
        let is_it = |fault: &Value| {
            let detail = fault["detail"].as_str().expect("a sentence");
            fault["area"] == area && detail.starts_with(beginning) && !detail.contains('{')
        };
        assert!(faults.any(is_it), "{sql}: {report}");
        let words = String::from_utf8(place.run(&["check"]).stdout).expect("text");
        let copy = report["sound_copy"].as_str().expect("a copy");
        assert!(words.contains(copy) && words.contains("roost account restore --db"), "{words}");
        assert!(fs::read(place.db()).expect("a file") == before, "{sql}: nothing is changed");
    }
}

#[test]
fn a_torn_file_fails_the_check_which_names_the_way_back() {
    let place = AccountPlace::new();
    text_of(&place.run(&["backup"]));
    let whole = fs::read(place.db()).expect("a file");
    fs::write(place.db(), &whole[..whole.len() / 2]).expect("a file");
    let report = place.run_json(1, &["check"]);
    assert_eq!(report["faults"][0]["area"], "pages", "{report}");
    // The commands of the advice work as they are printed.
    let copy = report["sound_copy"].as_str().expect("a copy").to_owned();
    assert!(run_program(&["set-aside", "--db", &place.db()]).status.success());
    // Half of the file is lost, and with it perhaps opt-outs since the copy.
    let outcome = place.run(&["restore", &copy]);
    assert_eq!(outcome.status.code(), Some(4), "{outcome:?}");
    assert!(String::from_utf8_lossy(&outcome.stderr).contains("Add --keep-opt-outs"), "{outcome:?}");
    let restored = place.run(&["restore", &copy, "--keep-opt-outs"]);
    assert_eq!(restored.status.code(), Some(1), "{restored:?}");
    assert!(String::from_utf8_lossy(&restored.stderr).contains("may be missing"), "{restored:?}");
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 2);
}
