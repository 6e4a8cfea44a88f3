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
    place.run_json(0, &["backup"]);
    let report = place.run_json(0, &["held", "--number", &number]);
    assert!(tables(&report["records"]).is_superset(&["contacts", "row_changes"].map(str::to_owned).into()), "{report}");
    let contacts = report["records"].as_array().expect("a list").iter().filter(|one| one["table"] == "contacts");
    assert_eq!(contacts.count(), 2, "by its number, and as an alternate number in another spelling");
    contact::delete(&place.open(), &by(), &held).expect("deleted");
    let report = place.run_json(0, &["held", "--number", "07700 900 002"]);
    assert_eq!(report["number"], json!(number));
    let memory: Vec<&Value> =
        report["records"].as_array().expect("a list").iter().filter(|one| one["table"] == "row_changes").collect();
    assert!(memory.iter().any(|one| one["values"]["data"].to_string().contains("Ada-Maria")), "{report}");
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
