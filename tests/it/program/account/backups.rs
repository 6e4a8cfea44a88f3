//! Backups: they rotate, they are checked, and they are made while the account is open.

use std::{fs, path::Path};

use roost_ops::list::{self, UniqueNames};
use serde_json::json;

use super::{AccountPlace, by, text_of};
use crate::{
    program::{refusal_message, run_program},
    whole::{assert_whole, list_names},
};

#[test]
fn a_backup_of_an_open_account_has_what_was_just_written() {
    let place = AccountPlace::new();
    let core = place.open();
    list::create(&core, &by(), "Summer", UniqueNames::Off).expect("a list");
    let report = place.run_json(0, &["backup"]);
    let file = Path::new(report["file"].as_str().expect("a file"));
    assert_eq!(list_names(file), ["Spring", "Summer"]);
    assert_whole(file);
    assert_eq!(report["counts"]["opt_outs"], 1);
    list::create(&core, &by(), "Autumn", UniqueNames::Off).expect("the account is still writable");
}

#[test]
fn the_newest_five_backups_stay_and_copies_of_other_kinds_are_not_counted() {
    let place = AccountPlace::new();
    let whole = fs::read(place.db()).expect("a file");
    for name in ["shop.roost.v5-20260105-090000.backup", "shop.roost.replaced-20260105-090000.backup"] {
        fs::write(place.path(name), &whole).expect("a file");
    }
    // A file that Roost did not make stays, whatever its name is.
    fs::write(place.path("shop.roost.saved-20200101-000000.backup"), "notes").expect("a file");
    let made: Vec<String> =
        (0..7).map(|_| place.run_json(0, &["backup"])["file"].as_str().expect("a file").to_owned()).collect();
    for (at, file) in made.iter().enumerate() {
        assert_eq!(Path::new(file).exists(), at >= 2, "{file}");
    }
    assert_eq!(fs::read(place.path("shop.roost.saved-20200101-000000.backup")).expect("a file"), b"notes");
    let report = place.run_json(0, &["backups"]);
    let all = report.as_array().expect("a list");
    assert_eq!(all.len(), 8, "{report}");
    assert_eq!(all[0]["file"], json!(made[6]), "the newest is first");
    assert_eq!(
        (&all[0]["reason"], &all[0]["sound"], &all[0]["counts"]["contacts"]),
        (&json!("backup"), &json!(true), &json!(2))
    );
    let reasons = |word: &str| all.iter().filter(|copy| copy["reason"] == word).count();
    assert_eq!((reasons("backup"), reasons("upgrade"), reasons("replacement")), (6, 1, 1));
    let foreign = all.iter().find(|copy| copy["sound"] == false).expect("the notes are listed");
    assert_eq!(foreign["at"], "2020-01-01T00:00:00Z");
    let words = text_of(&place.run(&["backups"]));
    assert!(words.contains("before an upgrade from schema 5") && words.contains("damaged"), "{words}");
}

#[test]
fn a_backup_is_written_where_it_is_asked_for_and_never_over_the_account() {
    let place = AccountPlace::new();
    let out = place.path("away.roost");
    text_of(&place.run(&["backup", "--out", &out]));
    assert_eq!(list_names(Path::new(&out)), ["Spring"]);
    let message = refusal_message(&place.run(&["backup", "--out", &out]));
    assert!(message.contains("--force"), "{message}");
    text_of(&place.run(&["backup", "--out", &out, "--force"]));
    for own in ["shop.roost", "./shop.roost", "shop.roost-wal", "shop.roost.lock"] {
        let message = refusal_message(&place.run(&["backup", "--force", "--out", &place.path(own)]));
        assert!(message.contains("Choose another file"), "{own}: {message}");
    }
    assert_eq!(place.names(), ["away.roost", "shop.roost"]);
}

#[test]
fn a_damaged_account_pushes_out_no_sound_backup() {
    let place = AccountPlace::new();
    let sound = place.run_json(0, &["backup"])["file"].as_str().expect("a file").to_owned();
    let whole = fs::read(place.db()).expect("a file");
    fs::write(place.db(), &whole[..whole.len() / 2]).expect("a file");
    for _ in 0..6 {
        let message = refusal_message(&place.run(&["backup"]));
        assert!(message.contains("is damaged") && message.contains(&sound), "{message}");
    }
    assert!(Path::new(&sound).exists());
    assert_eq!(place.names().len(), 2);
}

#[test]
fn an_account_without_copies_differs_from_a_misspelt_name() {
    let place = AccountPlace::new();
    assert!(text_of(&place.run(&["backups"])).contains("has no copies"));
    let message = refusal_message(&run_program(&["account", "backups", "--db", &place.path("shpo.roost")]));
    assert!(message.contains("There is no file"), "{message}");
    text_of(&place.run(&["backup"]));
    fs::remove_file(place.db()).expect("removed");
    assert_eq!(place.run_json(0, &["backups"]).as_array().map(Vec::len), Some(1), "the account may be missing");
}
