//! `roost account held`: everything about a number, and nothing about others.

use std::{collections::BTreeSet, fs, path::Path};

use roost_ops::{contact, history};
use roost_tests::seeds;
use serde_json::{Value, json};

use super::{AccountPlace, by, text_of};
use crate::program::refusal_message;

/// Returns the tables that a report names.
fn tables(records: &Value) -> BTreeSet<String> {
    let all = records.as_array().expect("a list").iter();
    all.map(|record| record["table"].as_str().expect("a table").to_owned()).collect()
}

/// Nobody needs to know today's tables: whatever the file contains of the number after it was deleted is reported.
#[test]
fn what_was_deleted_is_found_in_the_undo_memory_and_in_the_copies() {
    let place = AccountPlace::new();
    let number = seeds::mobile(2);
    let other = contact::FieldValues::from([
        ("phone_number".to_owned(), Some(seeds::mobile(3))),
        ("alternate_phone".to_owned(), Some("07700 900002".to_owned())),
    ]);
    let held = contact::add(&place.open(), &by(), &place.list, &other, None).expect("a contact").uid;
    let named = contact::FieldValues::from([("firstname".to_owned(), Some("Ada-Maria".to_owned()))]);
    contact::update(&place.open(), &by(), &held, &named, None).expect("an edit");
    let own = contact::FieldValues::from([
        ("phone_number".to_owned(), Some(number.clone())),
        ("firstname".to_owned(), Some("Grace-Marie".to_owned())),
    ]);
    let own = contact::add(&place.open(), &by(), &place.list, &own, None).expect("a contact").uid;
    place.run_json(0, &["backup"]);
    let report = place.run_json(0, &["held", "--number", &number]);
    assert!(tables(&report["records"]).is_superset(&["contacts", "row_changes"].map(str::to_owned).into()), "{report}");
    let contacts = report["records"].as_array().expect("a list").iter().filter(|one| one["table"] == "contacts");
    assert_eq!(contacts.count(), 3, "by its number, and as an alternate number in another spelling");
    contact::delete(&place.open(), &by(), &held).expect("deleted");
    contact::delete(&place.open(), &by(), &own).expect("deleted");
    let report = place.run_json(0, &["held", "--number", "07700 900 002"]);
    assert_eq!(report["number"], json!(number));
    let memory: Vec<&Value> =
        report["records"].as_array().expect("a list").iter().filter(|one| one["table"] == "row_changes").collect();
    assert!(memory.iter().any(|one| one["values"]["data"].to_string().contains("Grace-Marie")), "{report}");
    assert!(!report.to_string().contains("Ada-Maria"), "a contact that mentions the number is somebody else: {report}");
    assert!(!report.to_string().contains(&seeds::mobile(3)), "{report}");
    assert!(memory.iter().any(|one| one["is_mention"] == true), "{report}");
    let copies = report["copies"].as_array().expect("a list");
    assert!(copies.len() == 1 && tables(&copies[0]["records"]).contains("contacts"), "{report}");
    assert!(history::read_undo_status(&place.open()).expect("a status").undo.is_some(), "nothing was changed");
}

#[test]
fn a_file_that_was_set_aside_is_searched_too() {
    let place = AccountPlace::new();
    let aside = format!("{}.damaged-20260105-090000", place.db());
    fs::copy(place.db(), &aside).expect("a file");
    fs::write(format!("{}.damaged-20260106-090000", place.db()), "torn").expect("a file");
    let report = place.run_json(0, &["held", "--number", &seeds::mobile(2)]);
    let files = report["copies"].as_array().expect("a list");
    assert_eq!((files.len(), &files[0]["records"]), (2, &Value::Null), "{report}");
    assert!(files[1]["file"] == aside && tables(&files[1]["records"]).contains("contacts"), "{report}");
}

#[test]
fn copies_under_other_names_are_searched_and_go_too() {
    let place = AccountPlace::new();
    let misnamed = place.path("accounts.json.damaged-2");
    fs::copy(place.db(), &misnamed).expect("a file");
    fs::write(place.path("accounts.json.damaged"), "[").expect("a file");
    fs::create_dir(place.path(".shop.roost.restore-Ab12Cd")).expect("a folder");
    let unfinished = place.path(".shop.roost.restore-Ab12Cd/shop.roost");
    fs::copy(place.db(), &unfinished).expect("a file");
    let number = seeds::mobile(2);
    let report = place.run_json(0, &["held", "--number", &number]);
    let files: BTreeSet<&str> =
        report["copies"].as_array().expect("a list").iter().filter_map(|copy| copy["file"].as_str()).collect();
    assert_eq!(files, BTreeSet::from([misnamed.as_str(), unfinished.as_str()]), "{report}");
    let rows = place.run_json(0, &["erase", "--number", &number, "--dry-run"])["rows"].to_string();
    place.run_json(0, &["erase", "--number", &number, "--confirm-count", &rows]);
    let report = place.run_json(0, &["held", "--number", &number]);
    assert!(!Path::new(&unfinished).exists() && Path::new(&misnamed).exists(), "{:?}", place.names());
    assert_eq!(report["copies"][0]["records"], json!([]), "{report}");
}

#[test]
fn a_number_that_is_not_valid_is_searched_for_in_texts() {
    let place = AccountPlace::new();
    place.tamper(
        "INSERT INTO drafts (contact_id, field, text) SELECT min(id), 'whatsapp_id', '07700955555' FROM contacts",
    );
    let report = place.run_json(0, &["held", "--number", "07700955555"]);
    assert!(tables(&report["records"]).contains("drafts"), "{report}");
    let rows = place.run_json(0, &["erase", "--number", "07700955555", "--dry-run"])["rows"].to_string();
    place.run_json(0, &["erase", "--number", "07700955555", "--confirm-count", &rows]);
    assert_eq!(place.run_json(0, &["held", "--number", "07700 955555"])["records"], json!([]));
}

#[test]
fn an_opt_out_is_reported_with_its_history_and_others_are_not() {
    let place = AccountPlace::new();
    let report = place.run_json(0, &["held", "--number", &seeds::mobile(1)]);
    assert!(
        tables(&report["records"]).is_superset(&["opt_outs", "opt_out_events"].map(str::to_owned).into()),
        "{report}"
    );
    assert!(
        report.to_string().contains("asked by phone") && !report.to_string().contains(&seeds::mobile(2)),
        "{report}"
    );
    let words = text_of(&place.run(&["held", "--number", &seeds::mobile(1)]));
    assert!(words.contains("1  opt-outs") && words.contains("1  contacts in lists"), "{words}");
    let none = place.run_json(0, &["held", "--number", &seeds::mobile(9)]);
    assert_eq!(none["records"], json!([]));
}

#[test]
fn the_report_is_one_file_and_never_the_account() {
    let place = AccountPlace::new();
    let (out, number) = (place.path("report.json"), seeds::mobile(1));
    text_of(&place.run(&["held", "--number", &number, "--out", &out]));
    let report: Value = serde_json::from_slice(&fs::read(&out).expect("a file")).expect("JSON");
    assert_eq!(report, place.run_json(0, &["held", "--number", &number]));
    assert!(refusal_message(&place.run(&["held", "--number", &number, "--out", &out])).contains("--force"));
    let message = refusal_message(&place.run(&["held", "--number", &number, "--force", "--out", &place.db()]));
    assert!(message.contains("Choose another file"), "{message}");
    assert!(refusal_message(&place.run(&["held", "--number", "Ada"])).contains("not a valid number"));
    fs::create_dir_all(Path::new(&place.path("shop.roost.imports/1"))).expect("a folder");
    assert_eq!(place.run_json(0, &["held", "--number", &number])["imports_not_searched"], true);
}
