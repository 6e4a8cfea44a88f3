//! The country of numbers without a country code. It is that of the account, unless the file or a flag says otherwise.

use std::fs;

use serde_json::json;

use super::{
    super::{refusal_message, run_program},
    ImportFolder, parse_output,
};

impl ImportFolder {
    fn run_country(&self, more: &[&str]) -> std::process::Output {
        run_program(&[&["country", "--db", &self.file_path("a.roost")], more].concat())
    }

    /// Imports numbers without a flag for their country.
    fn import_guests(&self, numbers: impl Iterator<Item = String>, more: &[&str]) -> std::process::Output {
        let rows: String = numbers.map(|number| format!("{number},Guest\n")).collect();
        fs::write(self.file_path("guests.csv"), format!("Mobile,First name\n{rows}")).expect("a file");
        let (file, db) = (self.file_path("guests.csv"), self.file_path("a.roost"));
        run_program(&[&["import", &file, "--db", &db, "--list", "May", "--ignore-rest"], more].concat())
    }
}

/// Proves: S0_program.
#[test]
fn national_numbers_are_imported_in_the_country_of_the_account_and_the_report_says_so() {
    let place = ImportFolder::new();
    assert_eq!(place.run_country(&["US"]).status.code(), Some(0));
    let american = || (0..20).map(|n| format!("(202) 555-01{n:02}"));
    let words = String::from_utf8_lossy(&place.import_guests(american(), &["--dry-run"]).stdout).into_owned();
    assert!(words.contains("20  new"), "{words}");
    assert!(words.contains("were read as numbers in US, the country of the account."), "{words}");
    let answer = parse_output(&place.import_guests(american(), &["--json"]));
    assert_eq!((&answer["counts"]["new"], &answer["counts"]["invalid"]), (&json!(20), &json!(0)));
    // If most numbers have a country code, it applies to the others, whatever the country of the account.
    let british = (10..30).map(|n| if n < 20 { format!("+44 7700 9000{n}") } else { format!("07700 9000{n}") });
    let words = String::from_utf8_lossy(&place.import_guests(british, &[]).stdout).into_owned();
    assert!(words.contains("numbers in GB, the country of most numbers with a country code."), "{words}");
    assert!(!words.contains("invalid, skipped"), "{words}");
}

/// Proves: S0_program.
#[test]
fn a_file_of_another_country_asks_for_it_once() {
    let place = ImportFolder::new();
    place.run_country(&["GB"]);
    let american = || (0..20).map(|n| format!("(202) 555-01{n:02}"));
    let message = refusal_message(&place.import_guests(american(), &[]));
    assert!(message.contains("not valid in GB") && message.contains("--country CODE"), "{message}");
    assert_eq!(place.import_guests(american(), &["--country", "US"]).status.code(), Some(0));
}

/// Proves: S0_program.
#[test]
fn the_country_of_an_account_is_shown_and_chosen() {
    let place = ImportFolder::new();
    assert!(refusal_message(&place.run_country(&["Britain"])).contains("not a country code"));
    assert_eq!(parse_output(&place.run_country(&["ie", "--json"])), json!({ "country": "IE", "by": "account" }));
    let shown = String::from_utf8_lossy(&place.run_country(&[]).stdout).into_owned();
    assert_eq!(shown, "Numbers without a country code are read as numbers of IE, the country of the account.\n");
}
