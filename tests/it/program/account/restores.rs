//! Restores: what differs is shown, no opt-out is lost silently, and what was there is kept.

use std::{
    fs,
    path::{Path, PathBuf},
};

use roost_ops::{Actor, list};
use roost_tests::{Setup, seeds};
use serde_json::{Value, json};

use super::{AccountPlace, text_of};
use crate::{
    program::{failure_message, refusal_message},
    whole::{assert_whole, read_rows},
};

impl AccountPlace {
    /// Backs up, and returns the path of the backup.
    fn back_up(&self) -> String {
        self.run_json(0, &["backup"])["file"].as_str().expect("a file").to_owned()
    }
}

#[test]
fn a_restore_goes_back_and_keeps_what_was_there() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    place.add_contact(3);
    let bytes = fs::read(&copy).expect("a file");
    let shown = place.run_json(0, &["restore", &copy, "--dry-run"]);
    assert_eq!((&shown["restored"], &shown["kept_as"]), (&json!(false), &Value::Null));
    assert_eq!((&shown["now"]["contacts"], &shown["copy"]["contacts"]), (&json!(3), &json!(2)));
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 3, "a dry run changes nothing");
    let report = place.run_json(0, &["restore", &copy]);
    assert_eq!((&report["restored"], &report["missing_opt_outs"]), (&json!(true), &json!(0)));
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 2);
    assert_whole(Path::new(&place.db()));
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
    // The way back from the restore.
    let kept = report["kept_as"].as_str().expect("a copy").to_owned();
    assert!(kept.contains(".replaced-"), "{kept}");
    text_of(&place.run(&["restore", &kept]));
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 3);
    assert!(fs::read(&copy).expect("a file") == bytes, "the copy itself is only read");
    assert!(place.names().iter().all(|name| !name.contains("restore-")), "{:?}", place.names());
}

#[test]
fn opt_outs_made_since_are_lost_only_with_their_number() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    place.opt_out(2);
    place.opt_out(3);
    let before = fs::read(place.db()).expect("a file");
    let refused = place.run(&["restore", &copy]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let (output, shown) = (String::from_utf8_lossy(&refused.stderr), String::from_utf8_lossy(&refused.stdout));
    assert!(output.contains("--lose-opt-outs 2") && output.contains("--keep-opt-outs"), "{output}");
    assert!(shown.contains(&format!("{} on SMS", seeds::mobile(2))), "{shown}");
    for wrong in ["0", "1", "3"] {
        assert_eq!(place.run(&["restore", &copy, "--lose-opt-outs", wrong]).status.code(), Some(4), "{wrong}");
    }
    assert!(fs::read(place.db()).expect("a file") == before, "nothing was changed");
    text_of(&place.run(&["restore", &copy, "--lose-opt-outs", "2"]));
    assert_eq!(place.opted_out(), [seeds::mobile(1)]);
    // The ledger says that they ended, and why.
    let ledger = "SELECT warrant, reason FROM opt_out_events WHERE action = 'removed'";
    let rows = read_rows(Path::new(&place.db()), ledger);
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row[0].as_deref() == Some("confirmed")), "{rows:?}");
    assert!(rows.iter().all(|row| row[1].as_deref().is_some_and(|why| why.contains(".backup"))), "{rows:?}");
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
}

#[test]
fn opt_outs_made_since_can_stay_in_force() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    place.add_contact(3);
    place.opt_out(3);
    let report = place.run_json(0, &["restore", &copy, "--keep-opt-outs"]);
    assert_eq!(report["missing_opt_outs"], 1);
    assert_eq!(place.opted_out(), [seeds::mobile(1), seeds::mobile(3)]);
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 2);
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
}

/// Damages whole pages of the account past Roost.
fn damage_pages(place: &AccountPlace, is_hit: impl Fn(usize) -> bool) {
    let mut bytes = fs::read(place.db()).expect("a file");
    for (_, page) in bytes.chunks_mut(4_096).enumerate().skip(1).filter(|(number, _)| is_hit(*number)) {
        page.fill(0x5a);
    }
    fs::write(place.db(), bytes).expect("a file");
}

/// Returns the page, counted from zero, on which a table begins.
fn first_page(place: &AccountPlace, table: &str) -> usize {
    let sql = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'");
    let rows = read_rows(Path::new(&place.db()), &sql);
    rows[0][0].as_deref().and_then(|page| page.parse::<usize>().ok()).expect("a page") - 1
}

#[test]
fn opt_outs_of_a_damaged_account_are_kept_as_far_as_they_can_be_read() {
    let cases: [(&str, &[&str], bool); 3] = [
        ("another table is damaged", &["contacts"], true),
        ("the opt-outs are damaged, and the ledger is not", &["contacts", "opt_outs"], true),
        ("both are damaged", &["opt_outs", "opt_out_events"], false),
    ];
    for (case, damaged, is_found) in cases {
        let place = AccountPlace::new();
        let copy = place.back_up();
        place.opt_out(3);
        let pages: Vec<usize> = damaged.iter().map(|table| first_page(&place, table)).collect();
        damage_pages(&place, |page| pages.contains(&page));
        assert_eq!(place.run(&["check"]).status.code(), Some(1), "{case}");
        let aside = crate::program::run_program(&["set-aside", "--db", &place.db()]);
        assert!(aside.status.success(), "{case}: {aside:?}");
        let is_whole = !damaged.contains(&"opt_outs");
        let before = place.names();
        let refused = place.run(&["restore", &copy]);
        assert_eq!(refused.status.code(), Some(4), "{case}: {refused:?}");
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert!(stderr.contains("--keep-opt-outs") && stderr.contains("can be read") != is_whole, "{case}: {stderr}");
        assert_eq!(place.names(), before, "{case}: nothing was changed");
        let report = place.run_json(if is_whole { 0 } else { 1 }, &["restore", &copy, "--keep-opt-outs"]);
        assert_eq!((&report["restored"], &report["unread_opt_outs"]), (&json!(true), &json!(!is_whole)), "{case}");
        assert_eq!(place.opted_out().contains(&seeds::mobile(3)), is_found, "{case}");
        assert_eq!(place.run_json(0, &["check"])["sound"], true, "{case}");
    }
}

#[test]
fn a_copy_from_before_an_erasure_says_that_the_person_returns() {
    let place = AccountPlace::new();
    place.run_json(0, &["backup", "--out", &place.path("elsewhere")]);
    let number = seeds::mobile(2);
    let rows = place.run_json(0, &["erase", "--number", &number, "--dry-run"])["rows"].to_string();
    place.run_json(0, &["erase", "--number", &number, "--confirm-count", &rows]);
    let at = place.run_json(0, &["held", "--number", &number])["erased_at"].clone();
    let copy = place.path("elsewhere");
    for args in [vec!["restore", &copy, "--dry-run"], vec!["restore", &copy]] {
        let output = place.run(&[args, vec!["--json"]].concat());
        let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(shown["newer_erasures"], at, "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Erase them again"), "{output:?}");
    }
    let held = place.run_json(0, &["held", "--number", &number]);
    assert_eq!(held["erased_at"], json!([]), "the account holds the person again");
    let newer_erasures = |place: &AccountPlace, copy: &str| {
        let shown = place.run_json(0, &["restore", copy, "--dry-run"]);
        shown["newer_erasures"].as_array().expect("times").len()
    };
    place.run_json(0, &["restore", &copy]);
    assert_eq!(newer_erasures(&place, &copy), 1, "each restore says it, and says it once");
    let with_person = place.back_up();
    assert_eq!(newer_erasures(&place, &with_person), 1, "a copy that was made meanwhile holds the person, too");
    let rows = place.run_json(0, &["erase", "--number", &number, "--dry-run"])["rows"].to_string();
    place.run_json(0, &["erase", "--number", &number, "--confirm-count", &rows]);
    let without_person = place.back_up();
    assert_eq!([&copy, &without_person].map(|copy| newer_erasures(&place, copy)), [1, 0], "erased again");
}

#[test]
fn a_lost_account_is_not_created_again_over_its_copies() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    let commands: [&[&str]; 2] = [&["doctor", "--db"], &["account", "info", "--db"]];
    for lose in [|db: &str| fs::write(db, "").expect("a file"), |db: &str| fs::remove_file(db).expect("a file")] {
        lose(&place.db());
        for command in commands {
            let message = refusal_message(&crate::program::run_program(&[command, &[&place.db()]].concat()));
            assert!(message.contains("account restore --db") && message.contains(&copy), "{message}");
            assert!(!message.contains("account new"), "{message}");
        }
    }
    text_of(&place.run(&["restore", &copy]));
    assert_eq!(place.opted_out(), [seeds::mobile(1)]);
}

#[test]
fn a_sound_account_is_set_aside_only_by_force_and_what_follows_names_the_way_back() {
    let place = AccountPlace::new();
    let set_aside = |more: &[&str]| {
        let db = place.db();
        crate::program::run_program(&[&["set-aside", "--db", &db], more].concat())
    };
    let before = place.names();
    let message = refusal_message(&set_aside(&[]));
    assert!(message.contains("is sound") && message.contains("--force"), "{message}");
    assert_eq!(place.names(), before);
    let words = text_of(&set_aside(&["--force"]));
    let restore = format!("roost account restore --db {}", place.db());
    assert!(words.contains("Nothing was deleted") && words.contains(&restore), "{words}");
    let aside = place.names().into_iter().find(|name| name.contains(".damaged-")).expect("the renamed file");
    let message = refusal_message(&crate::program::run_program(&["lists", "--db", &place.db()]));
    assert!(message.contains(&aside) && message.contains(&restore), "{message}");
    assert!(!message.contains("account new"), "{message}");
    let made = crate::program::run_program(&["account", "new", &place.db(), "--country", "GB"]);
    let warning = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success() && warning.contains(&aside) && warning.contains(&restore), "{made:?}");
    let doctor = crate::program::run_program(&["doctor", "--db", &place.db()]);
    let advice = String::from_utf8_lossy(&doctor.stdout);
    assert!(advice.contains("compare it with the account") && advice.contains(&aside), "{advice}");
    text_of(&place.run(&["restore", &place.path(&aside)]));
    assert_eq!(place.opted_out(), [seeds::mobile(1)]);
}

#[test]
fn a_damaged_account_that_was_set_aside_names_its_newest_copy() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    let damaged = first_page(&place, "contacts");
    damage_pages(&place, |page| page == damaged);
    let words = text_of(&crate::program::run_program(&["set-aside", "--db", &place.db()]));
    assert!(words.contains(&format!("roost account restore --db {} {copy}", place.db())), "{words}");
}

#[test]
fn a_file_other_than_a_copy_restores_nothing() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    fs::write(place.path("notes"), "notes").expect("a file");
    let whole = fs::read(&copy).expect("a file");
    fs::write(place.path("torn"), &whole[..whole.len() / 2]).expect("a file");
    let before = fs::read(place.db()).expect("a file");
    for (name, words) in [
        ("notes", "is not a copy of an account"),
        ("torn", "is a damaged copy"),
        ("none", "There is no file"),
        ("", "is not a file"),
        ("shop.roost", "the account itself"),
    ] {
        let message = refusal_message(&place.run(&["restore", &place.path(name)]));
        assert!(message.contains(words), "{name}: {message}");
        assert!(!message.contains("set-aside"), "{name}: {message}");
    }
    assert!(fs::read(place.db()).expect("a file") == before);
    // Nobody restores an account under a program that has it open.
    let _open = place.open();
    let message = failure_message(&place.run(&["restore", &copy]), 9);
    assert!(message.contains("open in another process"), "{message}");
}

#[test]
fn a_copy_of_another_account_is_named_and_restored_only_if_that_was_agreed_to() {
    let (place, bakery) = (AccountPlace::new(), AccountPlace::new());
    let other = bakery.path("bakery.roost");
    let made = crate::program::run_program(&["account", "new", &other, "--name", "Bakery", "--country", "DE"]);
    assert!(made.status.success(), "{made:?}");
    let before = fs::read(place.db()).expect("a file");
    let shown = place.run_json(0, &["restore", &other, "--dry-run"]);
    assert_eq!((&shown["other_account"], &shown["copy"]["name"]), (&json!(true), &json!("Bakery")));
    let refused = place.run(&["restore", &other, "--keep-opt-outs"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("of another account, “Bakery”") && message.contains("--other-account"), "{message}");
    assert!(fs::read(place.db()).expect("a file") == before, "nothing was changed");
    text_of(&place.run(&["restore", &other, "--keep-opt-outs", "--other-account"]));
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 0);
    let copies = place.run_json(0, &["backups"]);
    assert_eq!(copies[0]["name"], "Shop", "the list tells the two apart");
    let copy = bakery.back_up();
    let shown = bakery.run_json(0, &["restore", &copy, "--dry-run"]);
    assert_eq!((&shown["other_account"], &shown["returning_opt_outs"]), (&json!(false), &json!(0)));
}

#[test]
fn changed_values_and_a_lost_connection_are_shown_before_a_restore() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    let api = Setup::new().set("auth", "off").serve();
    let mut connect = roost_tests::spawned::command(["connect", api.url(), "--name", "Svc", "--db", &place.db()]);
    connect.env("HOME", place.folder.path()).env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
    let connected = crate::program::command_output(connect);
    assert!(connected.status.success(), "{connected:?}");
    let core = place.open();
    list::rename(&core, &Actor::user(None), &place.list, "Autumn").expect("a list");
    drop(core);
    let words = text_of(&place.run(&["restore", &copy, "--dry-run"]));
    assert!(words.contains("The connection to Svc would go") && words.contains("Changes to send"), "{words}");
    let shown = place.run_json(0, &["restore", &copy, "--dry-run"]);
    assert_eq!(shown["now"]["lists"], shown["copy"]["lists"]);
    assert_eq!((&shown["differing"]["lists"], &shown["differing"]["opt_outs"]), (&json!(1), &json!(0)));
    assert_eq!((&shown["now"]["service"], &shown["copy"]["service"]), (&json!("Svc"), &Value::Null));
}

#[test]
fn what_a_killed_restore_left_is_removed_by_the_next_one() {
    let place = AccountPlace::new();
    let copy = place.back_up();
    for (folder, file) in [(".shop.roost.restore-left", "shop.roost"), (".shop.roost.restore-mine", "notes")] {
        fs::create_dir(place.path(folder)).expect("a folder");
        fs::copy(&copy, Path::new(&place.path(folder)).join(file)).expect("a file");
    }
    text_of(&place.run(&["restore", &copy]));
    let left: Vec<_> = place.names().into_iter().filter(|name| name.contains("restore-")).collect();
    assert_eq!(left, [".shop.roost.restore-mine"], "what Roost did not leave stays");
}

fn fixture_of(version: i32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/accounts/v{version}.roost"))
}

#[test]
fn a_copy_of_every_schema_is_shown_as_it_is_and_upgraded_beside_the_account() {
    for version in 1..roost_ops::Core::schema_version() {
        let place = AccountPlace::new();
        let copy = place.path("older.backup");
        fs::copy(fixture_of(version), &copy).expect("a file");
        let bytes = fs::read(&copy).expect("a file");
        let about = crate::program::run_program(&["account", "info", "--json", "--db", &copy]);
        let about: Value = serde_json::from_slice(&about.stdout).expect("JSON");
        assert_eq!(about["schema"], version);
        let checked = crate::program::run_program(&["account", "check", "--db", &copy]);
        assert!(checked.status.success(), "{version}: {checked:?}");
        text_of(&place.run(&["restore", &copy, "--keep-opt-outs", "--other-account"]));
        let info = place.run_json(0, &["info"]);
        assert_eq!(info["schema"], info["newest_schema"]);
        assert_eq!(info["counts"]["contacts"], about["counts"]["contacts"]);
        assert!(place.opted_out().contains(&seeds::mobile(1)), "{version}");
        assert!(fs::read(&copy).expect("a file") == bytes, "the copy itself is only read");
        assert_eq!(place.run_json(0, &["check"])["sound"], true, "{version}");
    }
}

#[test]
fn a_restored_account_pulls_on_from_its_older_state() {
    let list = seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 3);
    let api = Setup::new().set("auth", "off").seed(json!({ "lists": [list] })).serve();
    let place = AccountPlace::new();
    let run = |args: &[&str]| {
        let mut command = roost_tests::spawned::command(args.iter().copied().chain(["--db", &place.db()]));
        command.env("HOME", place.folder.path()).env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
        crate::program::command_output(command)
    };
    assert!(run(&["connect", api.url()]).status.success());
    let copy = place.back_up();
    assert!(matches!(run(&["pull"]).status.code(), Some(0 | 3)));
    let pulled = place.run_json(0, &["info"])["counts"].clone();
    assert_eq!(pulled["lists"], 2);
    text_of(&place.run(&["restore", &copy]));
    assert_eq!(place.run_json(0, &["info"])["counts"]["lists"], 1);
    assert!(matches!(run(&["pull"]).status.code(), Some(0 | 3)));
    assert_eq!(place.run_json(0, &["info"])["counts"], pulled);
}
